"""The commands of owners about people, put together."""

from bot.flow.commanding.table import Command
from bot.flow.composition.one_turn import OneTurn
from bot.flow.composition.people_asked import PeopleAsked
from bot.flow.people.commands import PeopleCommands
from bot.flow.people.knocks import Knocks
from bot.flow.people.letting_in import LettingInCommand
from bot.flow.people.linking import LinkCommand
from bot.flow.people.revoking import RevokeCommand
from bot.flow.world import Policy, StorePorts, World


def people_commands(
    store: StorePorts, world: World, policy: Policy, people_asked: PeopleAsked, one_turn: OneTurn
) -> tuple[Command, ...]:
    """Returns `/allow`, `/link`, `/people`, `/rights` and `/revoke`."""
    people, members, clock = store.people, store.members, world.clock
    knocks, zones = Knocks(store.outbox), one_turn.way_in.zones
    preamble, ending = one_turn.preamble, people_asked.card_ending
    return (
        *LettingInCommand(people, store.chats, knocks, clock).table,
        *LinkCommand(people, members, knocks, clock).table,
        *PeopleCommands(people, members, preamble, clock, policy.member_pace, zones).table,
        *RevokeCommand(people, members, ending, knocks, clock).table,
    )
