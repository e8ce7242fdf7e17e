"""The last word of a turn: the message that tells a person how it ended."""

from collections.abc import Awaitable, Callable, Sequence

from bot.domain.change import Show
from bot.domain.loop.contribution import Ended
from bot.domain.money.model import FinishReason
from bot.domain.talk.chat import LongAnswers
from bot.domain.talk.message import (
    Block,
    ButtonRows,
    Call,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
)
from bot.domain.turn.outcome import Outcome, StopReason
from bot.domain.turn.progress import Progress
from bot.domain.turn.step import Finish
from bot.domain.value import frozen, replace
from bot.flow.log.foreign_addresses import shown_safely
from bot.flow.log.work import Work
from bot.flow.turn.outcome_words import outcome_of
from bot.ports.approvals import Approvals
from bot.ports.outbox import Outbox

_CUT = (FinishReason.LENGTH, FinishReason.WINDOW)


@frozen
class LastWord:
    """The end of a turn, and the message about it; None when there is nothing to say."""

    outcome: Outcome
    message: Show | None
    leads_on: bool
    """True when buttons below the message start another turn."""


@frozen
class LastWords:
    """Puts the last word together; an answer of more than `long_answer` characters is long.

    `plan_waits` tells of a chat if a plan waits there for a decision.
    """

    _approvals: Approvals
    _plan_waits: Callable[[int], Awaitable[bool]]
    _outbox: Outbox
    _long_answer: int

    async def at(self, work: Work, finish: Finish, parts: Sequence[Ended]) -> LastWord:
        """Returns the last word, in which the parts of the companions have their places."""
        progress = work.progress
        cut = progress.reply is not None and progress.reply.finish in _CUT
        listed = any(part.listed for part in parts)
        owner = work.asker is not None and work.asker.is_owner
        own = outcome_of(progress, finish, cut=cut, listed=listed, owner=owner)
        outcome = replace(own, text=_told(own.text, parts))
        said = _said_before(progress, f"{own.text}\n{outcome.text}")
        if any(part.silent for part in parts):
            return LastWord(outcome, None, leads_on=False)
        blocks = _blocks(said, outcome.text, await self._waiting_above(work), parts)
        buttons = tuple(row for part in parts for row in part.buttons)
        pointers = await self._pointers(work, outcome, parts)
        blocks = (*blocks, *pointers, *_below(outcome.text, parts))
        message = self._message(work, outcome, blocks, buttons)
        return LastWord(outcome, message, message is not None and bool(buttons))

    async def _pointers(
        self, work: Work, outcome: Outcome, parts: Sequence[Ended]
    ) -> Sequence[Block]:
        """Returns the lines about cards that tell the outcome, where people may not see the card.

        A card that changes makes no sound, so one in view needs such a line only if nothing else
        is said.
        """
        pointing = [part for part in parts if part.pointer]
        newest = await self._outbox.newest(work.turn.chat) if pointing and outcome.text else None
        if newest is not None:
            pointing = [p for p in pointing if p.card != newest.key and not newest.content.points]
        return [Markdown(part.pointer, points=True) for part in pointing]

    async def _waiting_above(self, work: Work) -> str:
        """Returns a line about open cards of earlier turns, and of a plan; empty without any."""
        if work.turn.stop_asked is not None:
            return ""  # they may be stopped too, and the answer to the command counts the rest
        count, chat = 0, work.turn.chat
        if work.agenda.cards_open:
            count += sum(c.turn != work.turn.id for c in await self._approvals.open_in(chat))
        plan = work.agenda.plan
        if plan is not None and plan.ready:
            count += await self._plan_waits(chat)
        if not count:
            return ""
        return "⏸ 1 card waits above." if count == 1 else f"⏸ {count} cards wait above."

    def _message(
        self, work: Work, outcome: Outcome, blocks: tuple[Block, ...], buttons: ButtonRows
    ) -> Show | None:
        # A companion's card may stand in place of the last word; the words before it still count.
        final = outcome.stop_reason is StopReason.FINAL_ANSWER
        told = any(b.text for b in blocks if final or (isinstance(b, Markdown) and b.points))
        if not outcome.text and not outcome.files and not told:
            return None
        turn, chat = work.turn, work.log.chat
        is_long = len(outcome.text) > self._long_answer
        content = Outbound(
            OutboundKind.ANSWER,
            blocks,
            buttons,
            files=outcome.files,
            reply_to=turn.reply_to,
            folded=is_long and chat.settings.long_answers is LongAnswers.FILE,
            previews=chat.settings.previews,
        )
        # Most turns have nothing foreign in view, and stay in this room.
        foreign = work.log.foreign_to(turn.asker) is not None
        shown = shown_safely(work, content) if foreign else content.linking_freely()
        return Show(f"answer:{turn.id}", turn.chat, shown, about=turn.id, call=Call.DONE)


def _said_before(progress: Progress, last: str) -> tuple[str, ...]:
    """Returns the words that stand in no message and are not part of the last word itself."""
    *before, newest = progress.spoken or ("",)
    return (*before, newest) if newest and newest not in last else tuple(before)


def _blocks(
    said: Sequence[str], text: str, above: str, parts: Sequence[Ended]
) -> tuple[Block, ...]:
    """Returns the words said before, and the last word with a line about cards."""
    before = [Markdown(words, said=True) for words in said]
    if not text:
        return tuple(before)
    points = not above and any(part.points and part.instead == text for part in parts)
    last = Markdown("\n\n".join(part for part in (text, above) if part), points=points)
    return (*before, last)


def _below(text: str, parts: Sequence[Ended]) -> list[Block]:
    """Returns the small lines at the end of a last word."""
    return [Plain(part.below, style="aside") for part in parts if part.below and text]


def _told(words: str, parts: Sequence[Ended]) -> str:
    """Returns the last word with the texts that companions put in its place or behind it."""
    said = next((p.instead for p in reversed(parts) if p.instead is not None), words)
    return "\n\n".join(text for text in (said, *(part.also for part in parts)) if text)
