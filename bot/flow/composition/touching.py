"""Presses of buttons and thumbs on messages, put together."""

from bot.flow.arrivals.acknowledging import Acknowledging
from bot.flow.arrivals.presses import PresentWords, Presses
from bot.flow.arrivals.thumbs import Thumbs, Touches
from bot.flow.commanding.desks import Desks
from bot.flow.commands.dispatch import Commands
from bot.flow.log.opinions import Opinions
from bot.flow.world import StorePorts, World
from bot.ports.journal import Journal


def touches(
    store: StorePorts,
    world: World,
    journal: Journal,
    commands: Commands,
    desks: Desks,
    acknowledging: Acknowledging,
) -> Touches:
    people, chats = store.people, store.chats
    presses = Presses(world.channels, people, chats, commands, desks, journal, acknowledging)
    thumbs = Thumbs(people, chats, store.feedback, opinions(store, world), journal)
    return Touches(presses, thumbs)


def present_words(store: StorePorts, desks: Desks) -> PresentWords:
    """Returns the reader of words that buttons change."""
    return PresentWords(store.people, store.chats, desks)


def opinions(store: StorePorts, world: World) -> Opinions:
    """Returns the part that notes what people think of answers."""
    return Opinions(store.turns, store.journal, world.clock)
