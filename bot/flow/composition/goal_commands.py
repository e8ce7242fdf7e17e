"""The commands about goals, put together."""

from bot.domain.talk.chat import Chat
from bot.flow.commanding.table import Command
from bot.flow.composition.one_turn import OneTurn
from bot.flow.goals.cards import GoalCards
from bot.flow.goals.commands import GoalCommands
from bot.flow.goals.words import GoalWords
from bot.flow.world import Policy, StorePorts


def goal_commands(store: StorePorts, policy: Policy, one_turn: OneTurn) -> tuple[Command, ...]:
    """Returns `/goal` and `/goals`."""
    room = one_turn.schedules.goals.room
    words = GoalWords(room.goals, room.scheduled, room.planning)
    choosing = one_turn.choosing

    def unpriced(chat: Chat) -> str:
        model = choosing.model(chat.model)
        known = choosing.knows(model) and choosing.profile(model).price is None
        return model if known else ""

    cards = GoalCards(store.outbox)
    commands = GoalCommands(room, words, cards, one_turn.way_in.zones, policy.goals, unpriced)
    return tuple(commands.table)
