"""Settles a turn: closing results, the last word, the row and the cards, in one transaction."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.approval import Approval, ApprovalState
from bot.domain.change import AddAudit, SaveApproval, Show, Write
from bot.domain.chat import LongAnswers
from bot.domain.contribution import Ended
from bot.domain.message import Markdown, Outbound, OutboundKind
from bot.domain.model import FinishReason
from bot.domain.outcome import Outcome, StopReason
from bot.domain.progress import OpenCall
from bot.domain.step import Finish
from bot.domain.tool import Code, ToolCall, ToolResult
from bot.domain.transcript import Body
from bot.domain.turn import Turn, TurnState
from bot.flow.approvals.cards import shown_decided
from bot.flow.log.closing import body_of, close
from bot.flow.log.work import Work
from bot.flow.turn.companion import Companions
from bot.flow.turn.conversations import Conversations
from bot.flow.turn.endings import note_of, outcome_of

_CUT = (FinishReason.LENGTH, FinishReason.WINDOW)
_CARD_END: dict[StopReason, ApprovalState] = {StopReason.EXPIRED: ApprovalState.EXPIRED}


class Settlement:
    """Ends turns; the delivery reads rows, so nothing is handed to it in memory.

    An answer of more than `long_answer` characters counts as long.
    """

    def __init__(
        self, conversations: Conversations, companions: Companions, long_answer: int
    ) -> None:
        self._conversations = conversations
        self._companions = companions
        self._long_answer = long_answer

    async def settle(self, work: Work, finish: Finish) -> Outcome:
        """Closes the open calls and tells the person truthfully how the turn ended."""
        progress = work.progress
        cut = progress.reply is not None and progress.reply.finish in _CUT
        closed = self._closings(work, finish.code)
        parts = [await one.ended(work, finish, closed) for one in self._companions]
        outcome = outcome_of(progress, finish, cut=cut)
        outcome = replace(outcome, text=_told(outcome.text, parts))
        note = note_of(outcome, progress)
        bodies = [*_bodies(work, closed), *((note,) if note is not None else ())]
        also = [*self._cards(work, finish), *self._answer(work, outcome)]
        also.extend(write for part in parts for write in part.writes)
        also.append(self._audit(work, finish))
        if progress.closes is not None:
            await work.release()  # the summary is a model call: no unwritten entry waits for it
            also.extend(await self._conversations.close(work, progress.closes))
        settled = self._ended(work, finish.stop_reason)
        await work.write(*bodies, turn=settled, also=also, durable=True)
        return outcome

    async def set_aside(self, work: Work) -> None:
        """Ends a parked turn for good because the person wrote something else; its cards stay.

        The cards end too when a companion says that the turn's work will ask again.
        """
        parts = [await one.set_aside(work) for one in self._companions]
        withdraws = any(part.withdraws for part in parts)
        code = Code.CANCELLED if withdraws else Code.AWAITING_DECISION
        bodies = _bodies(work, self._closings(work, code))
        ended = Finish(StopReason.SET_ASIDE, "a new message")
        cards = self._cards(work, ended) if withdraws else _kept(work)
        also = (*cards, *(write for part in parts for write in part.writes))
        settled = self._ended(work, StopReason.SET_ASIDE)
        await work.write(*bodies, turn=settled, also=also, durable=True)

    def _ended(self, work: Work, reason: StopReason) -> Turn:
        return work.counted(state=TurnState.SETTLED, stop_reason=reason, ended_at=work.clock.now())

    def _closings(self, work: Work, code: Code) -> list[tuple[ToolCall, ToolResult]]:
        open_calls = work.progress.open_calls
        begun = [c.call.id for c in open_calls if c.begun]
        expired = [c.call for c in open_calls if _has_expired(c)]
        others = [c.call for c in open_calls if not _has_expired(c)]
        code = Code.CANCELLED if code is Code.EXPIRED else code
        results = (*close(expired, Code.EXPIRED, begun), *close(others, code, begun))
        calls = {c.call.id: c.call for c in open_calls}
        return [(calls[result.call_id], result) for result in results]

    def _cards(self, work: Work, finish: Finish) -> list[Write]:
        """Returns the writes that close the open cards of a turn as its end demands."""
        return ended_cards(work, _CARD_END.get(finish.stop_reason, ApprovalState.CANCELLED))

    def _answer(self, work: Work, outcome: Outcome) -> list[Write]:
        """Returns the writes of the last word, if there is one."""
        if not outcome.text and not outcome.files:
            return []
        turn, chat = work.turn, work.log.chat
        is_long = len(outcome.text) > self._long_answer
        content = Outbound(
            OutboundKind.ANSWER,
            (Markdown(outcome.text),),
            files=outcome.files,
            reply_to=turn.reply_to,
            folded=is_long and chat.long_answers is LongAnswers.FILE,
            previews=chat.previews,
        )
        return [Show(f"answer:{turn.id}", turn.chat, content)]

    def _audit(self, work: Work, finish: Finish) -> AddAudit:
        details = {"stop_reason": finish.stop_reason.value, "why": finish.why}
        return AddAudit(
            work.clock.now(), work.turn.chat, work.turn.asker, "turn.ended", work.turn.id, details
        )


def ended_cards(work: Work, end: ApprovalState) -> list[Write]:
    """Decides the open cards of a turn."""
    writes: list[Write] = []
    for card in work.approvals:
        if card.state is ApprovalState.OPEN and card.turn == work.turn.id:
            ended = replace(card, state=end, decided_at=work.clock.now())
            writes.append(SaveApproval(ended, expect=ApprovalState.OPEN))
            writes.extend(shown_decided(ended))
    return writes


def _told(words: str, parts: Sequence[Ended]) -> str:
    """Returns the last word with the texts that companions put in its place or behind it."""
    said = next((p.instead for p in reversed(parts) if p.instead is not None), words)
    return "\n\n".join(text for text in (said, *(part.also for part in parts)) if text)


def _bodies(work: Work, closed: Sequence[tuple[ToolCall, ToolResult]]) -> list[Body]:
    return [body_of(result, work.late_approval) for _, result in closed]


def _has_expired(open_call: OpenCall) -> bool:
    card = open_call.approval
    return card is not None and card.state is ApprovalState.EXPIRED


def _kept(work: Work) -> list[Write]:
    """Returns the writes for undecided and unrun cards, which outlive their turn."""
    return [
        SaveApproval(replace(a, set_aside=True), expect=a.state)
        for a in work.approvals
        if a.state in (ApprovalState.OPEN, ApprovalState.APPROVED) and _unanswered(work, a)
    ]


def _unanswered(work: Work, card: Approval) -> bool:
    return any(c.call.id == card.call.id for c in work.progress.open_calls)
