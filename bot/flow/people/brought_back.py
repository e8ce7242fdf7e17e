"""Tells owners what a backup brought back, and asks about messages that may have been sent."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from bot.domain.change import Change, CheckAccess, Show
from bot.domain.talk.brought_back import HELD
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.message import Outbound, OutboundKind, Plain, Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.value import frozen, replace
from bot.flow.commanding.desks import NOT_OURS, Desk, refused, spent
from bot.ports.journal import Journal
from bot.ports.outbox import DeliveryState, Outbox, OutboxRow

_KEY = "brought-back:"
_NOT_YOURS = "Only an owner can decide this."
_MAYBE = "📦 This was still to be sent to {where} when the backup was made. It may have been sent "
_SINCE = "already."
_STOPPED = (
    "piece of work had begun. I stopped it, and said so there.",
    "pieces of work had begun. I stopped them, and said so there.",
)
_CLOSED = (
    "open card or plan is closed. Nothing of it ran.",
    "open cards and plans are closed. Nothing of them ran.",
)
_UNANSWERED = (
    "message waited for an answer. I do not answer it now.",
    "messages waited for an answer. I do not answer them now.",
)
_UNASKED = (
    "more message was still to be sent. I do not send it.",
    "more messages were still to be sent. I do not send them.",
)
_NOT_RUN = (
    "task was due meanwhile. It did not run:",
    "tasks were due meanwhile. They did not run:",
)
_SENT, _KEPT = "📤 Sent now.", "Not sent."


class BroughtVerb(StrEnum):
    """The answers of an owner."""

    SEND = "send"
    KEEP = "no"


@frozen
class BroughtButton:
    """The meaning of a button; the message that it is about stands in the key of its question."""

    verb: BroughtVerb


_BUTTONS = ButtonCodec("b", BroughtButton)


@frozen
class LostTime:
    """The work of a backup that does not begin again by itself."""

    made_at: datetime
    stopped: int
    """Pieces of work that had begun or stood in line."""
    closed: int
    """Open cards and plans that were closed."""
    unanswered: int
    """Messages that were not answered yet."""
    unasked: int
    """Messages that may have been sent, and about which nobody is asked, as they are too many."""
    tasks: Sequence[str]
    """Tasks whose time has come since, and that did not run."""


def summary(lost: LostTime, chat: int, at: datetime) -> Show:
    """Returns the message to an owner about all of it."""
    lines = [
        f"📦 I was brought back from a backup of {lost.made_at:%Y-%m-%d %H:%M} UTC. What happened "
        "since then is not in it: I do not know what I answered, ran and sent.",
        *(
            f"{count:,} {several if count > 1 else one}"
            for count, one, several in (
                (lost.stopped, *_STOPPED),
                (lost.closed, *_CLOSED),
                (lost.unanswered, *_UNANSWERED),
                (lost.unasked, *_UNASKED),
                (len(lost.tasks), *_NOT_RUN),
            )
            if count
        ),
        *(f"• {what}" for what in lost.tasks),
    ]
    content = Outbound(OutboundKind.NOTICE, (Plain("\n".join(lines)),))
    return Show(f"{_KEY}{at:%Y%m%d%H%M%S}:{chat}", chat, content)


def unanswered(count: int, chat: int, at: datetime) -> Show:
    """Returns the message to a chat whose messages are not answered."""
    told = (
        f"📦 {count} messages of yours waited here when my backup was made. I do not answer them "
        "now, as they may be answered already. If they are not, send them again."
        if count > 1
        else "📦 A message of yours waited here when my backup was made. I do not answer it now, "
        "as it may be answered already. If it is not, send it again."
    )
    content = Outbound(OutboundKind.NOTICE, (Plain(told),))
    return Show(f"{_KEY}{at:%Y%m%d%H%M%S}:{chat}:waited", chat, content)


def question(row: OutboxRow, chat: int) -> Show:
    """Returns the question to an owner about a message that may have been sent."""
    told = Plain(_MAYBE.format(where=row.address.key) + _SINCE)
    buttons = (
        _BUTTONS.button("Send it now", BroughtButton(BroughtVerb.SEND)),
        _BUTTONS.button("Do not send it", BroughtButton(BroughtVerb.KEEP)),
    )
    content = Outbound(OutboundKind.CARD, (told, *row.content.blocks), (buttons,))
    return Show(f"{_KEY}{chat}:{row.key}", chat, content, about=row.about)


def _waits(held: OutboxRow) -> bool:
    return held.state is DeliveryState.DEAD and held.error == HELD


class BroughtBackDesk(Desk[BroughtButton]):
    """Sends a message that was held, or leaves it; the question is decided once."""

    buttons = (_BUTTONS,)

    def __init__(self, outbox: Outbox, journal: Journal) -> None:
        self._outbox = outbox
        self._journal = journal

    async def press(
        self, meant: BroughtButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        if person is None or not person.is_owner:
            return refused(_NOT_YOURS)
        key = await self._outbox.key_of(chat, press.message_id or "")
        asked = await self._outbox.row(key) if key else None
        named = f"{_KEY}{chat}:"
        if key is None or asked is None or not key.startswith(named):
            return refused(NOT_OURS)
        held = await self._outbox.row(key.removeprefix(named))
        if held is None or not _waits(held) or not asked.content.buttons:
            # Another owner was faster.
            await self._close(asked, chat, person, _SENT)
            return spent()
        if meant.verb is BroughtVerb.SEND:
            sent = Show(held.key, held.chat, held.content, anew=True, about=held.about)
            await self._close(asked, chat, person, _SENT, sent)
        else:
            await self._close(asked, chat, person, _KEPT)
        return PressAnswer()

    async def _close(
        self, asked: OutboxRow, chat: int, person: Person, verdict: str, *also: Show
    ) -> None:
        if not asked.content.buttons:
            return
        left = replace(asked.content, blocks=(*asked.content.blocks, Plain(verdict)), buttons=())
        writes = (CheckAccess(person.id), *also, Show(asked.key, chat, left))
        await self._journal.commit(Change(writes, durable=True))
