"""Tells owners of updates that a fault set aside; a press has one of them routed anew."""

from collections.abc import Callable, Sequence

from bot.domain.change import Change, InboundState, MarkInbound, Show
from bot.domain.clock.zones import short_moment
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import (
    Inbound,
    InboundMessage,
    Outbound,
    OutboundKind,
    Plain,
    Press,
    PressAnswer,
    Reaction,
)
from bot.domain.talk.person import Person
from bot.domain.text.names import brief_name, cited_name
from bot.domain.value import frozen, replace
from bot.flow.commanding.desks import NOT_OURS, Desk, refused, spent
from bot.flow.groups.news import News
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox


@frozen
class AsideButton:
    """The meaning of the button that has an update routed anew: the row of the update."""

    row: int


ASIDE_BUTTONS = ButtonCodec("x", AsideButton)

AGAIN = "🔁 Try again"
MOST_AN_HOUR = 10
"""Updates an hour of which owners are told; the log names all."""

_ZONE = "UTC"

OWNERS = "Only an owner can have it tried again."
KEPT = "The fault is mine. Nothing was done with it, and I keep it. The log names the fault."
TRYING = "I try it again."


@frozen
class SetAsideUpdates(Desk[AsideButton]):
    buttons = (ASIDE_BUTTONS,)

    _inbox: Inbox
    _outbox: Outbox
    _news: News
    _journal: Journal
    _look_again: Callable[[], None]

    async def told(self, row: InboundRow, inbound: Inbound) -> Sequence[Show]:
        """Returns messages with the button to the owners on the update's channel."""
        if self._news.counted("set aside") > MOST_AN_HOUR:
            return ()
        button = ASIDE_BUTTONS.button(AGAIN, AsideButton(row.id))
        told = f"⚠️ I could not handle {_described(row, inbound)}. {KEPT}"
        content = Outbound(OutboundKind.OPTION, (Plain(told),), ((button,),))
        homes = await self._news.homes(row.channel)
        return [Show(f"aside:{row.id}:{home}", home, content) for home in homes]

    async def press(
        self, meant: AsideButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        if person is None or not person.is_owner:
            return refused(OWNERS)
        row = await self._inbox.get(meant.row)
        if row is None:
            return refused(NOT_OURS)
        shown = await self._outbox.row(f"aside:{row.id}:{chat}")
        anew = MarkInbound(row.id, InboundState.NEW, (InboundState.DEAD,))
        writes = [] if shown is None else [Show(shown.key, chat, _tried(shown.content))]
        try:
            await self._journal.commit(Change((anew, *writes), durable=True))
        except Conflict:
            return spent()
        self._look_again()
        return PressAnswer(TRYING)

    async def card_key(self, meant: AsideButton, chat: int) -> str | None:
        return f"aside:{meant.row}:{chat}"


def _described(row: InboundRow, inbound: Inbound) -> str:
    """Returns what came, from whom, where and when, as far as the platform told."""
    at, title = row.received_at, ""
    match inbound:
        case InboundMessage():
            what, sender = "a message", inbound.sender
            at, title = inbound.sent_at, inbound.title
        case Press():
            what, sender = "a press of a button", inbound.sender
        case Reaction():
            what, sender = "a reaction", inbound.sender
        case _:
            return f"an update of {row.channel} from {short_moment(at, _ZONE)} ({_ZONE})"
    if isinstance(inbound, Reaction):
        where = f"in the chat {cited_name(inbound.address.key)}"
    elif inbound.private:
        where = "in their private chat"
    else:
        where = f"in the group {brief_name(title or inbound.address.key)}"
    return f"{what} from {brief_name(sender.name)} {where}, {short_moment(at, _ZONE)} ({_ZONE})"


def _tried(content: Outbound) -> Outbound:
    return replace(content, blocks=(*content.blocks, Plain(TRYING)), buttons=())
