"""Settling a turn: closing results, the last word, the row and the cards, in one transaction."""

from dataclasses import replace

from bot.domain.approval import Approval, ApprovalState
from bot.domain.change import AddAudit, SaveApproval, Show, Write
from bot.domain.exchange import FinishReason
from bot.domain.message import Markdown, Outbound, OutboundKind
from bot.domain.outcome import Outcome, StopReason
from bot.domain.progress import OpenCall
from bot.domain.step import Finish
from bot.domain.tool import Code, ToolResult
from bot.domain.transcript import Body, LateResultBody, ResultBody
from bot.domain.turn import Turn, TurnState
from bot.flow.cards import decided_card
from bot.flow.closing import close
from bot.flow.conversations import Conversations
from bot.flow.endings import note_of, outcome_of
from bot.flow.work import Work

_CUT = (FinishReason.LENGTH, FinishReason.WINDOW)
_CARD_END: dict[StopReason, ApprovalState] = {StopReason.EXPIRED: ApprovalState.EXPIRED}


class Settlement:
    """Ends turns. Whoever delivers reads rows; nothing is handed over in memory."""

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    async def settle(self, work: Work, finish: Finish) -> Outcome:
        """Closes what is open and states truthfully how the turn ended."""
        progress = work.progress
        cut = progress.reply is not None and progress.reply.finish in _CUT
        outcome = outcome_of(progress, finish, cut=cut)
        note = note_of(outcome, progress)
        bodies = [*self._closings(work, finish.code), *((note,) if note is not None else ())]
        also = [*self._cards(work, finish), self._answer(work.turn, outcome)]
        also.append(self._audit(work, finish))
        if progress.closes is not None:
            also.extend(await self._conversations.close(work, progress.closes))
        settled = self._ended(work, finish.stop_reason)
        await work.write(*bodies, turn=settled, also=also, durable=True)
        return outcome

    async def set_aside(self, work: Work) -> None:
        """Ends a parked turn for good because the person wrote on; its cards stay."""
        results = self._closings(work, Code.AWAITING_DECISION)
        kept = [
            SaveApproval(replace(a, set_aside=True), expect=a.state)
            for a in work.approvals
            if a.state in (ApprovalState.OPEN, ApprovalState.APPROVED) and _unanswered(work, a)
        ]
        settled = self._ended(work, StopReason.SET_ASIDE)
        await work.write(*results, turn=settled, also=kept, durable=True)

    def _ended(self, work: Work, reason: StopReason) -> Turn:
        return work.counted(state=TurnState.SETTLED, stop_reason=reason, ended_at=work.clock.now())

    def _closings(self, work: Work, code: Code) -> list[Body]:
        open_calls = work.progress.open_calls
        begun = [c.call.id for c in open_calls if c.begun]
        expired = [c.call for c in open_calls if _has_expired(c)]
        others = [c.call for c in open_calls if not _has_expired(c)]
        code = Code.CANCELLED if code is Code.EXPIRED else code
        results = (*close(expired, Code.EXPIRED, begun), *close(others, code, begun))
        return [self._body(work, result) for result in results]

    def _body(self, work: Work, result: ToolResult) -> Body:
        late = work.late_approval
        if late is not None and late.call.id == result.call_id:
            return late_body(late, result)
        return ResultBody(result)

    def _cards(self, work: Work, finish: Finish) -> list[Write]:
        """Cards of a turn that ends are decided by its end."""
        end = _CARD_END.get(finish.stop_reason, ApprovalState.CANCELLED)
        writes: list[Write] = []
        for card in work.approvals:
            if card.state is ApprovalState.OPEN and card.turn == work.turn.id:
                ended = replace(card, state=end, decided_at=work.clock.now())
                writes.append(SaveApproval(ended, expect=ApprovalState.OPEN))
                writes.append(Show(card.card_key, card.chat, decided_card(ended)))
        return writes

    def _answer(self, turn: Turn, outcome: Outcome) -> Show:
        content = Outbound(
            OutboundKind.ANSWER,
            (Markdown(outcome.text),),
            files=outcome.files,
            reply_to=turn.reply_to,
        )
        return Show(f"answer:{turn.id}", turn.chat, content)

    def _audit(self, work: Work, finish: Finish) -> AddAudit:
        details = {"stop_reason": finish.stop_reason.value, "why": finish.why}
        return AddAudit(
            work.clock.now(), work.turn.chat, work.turn.asker, "turn.ended", work.turn.id, details
        )


def late_body(card: Approval, result: ToolResult) -> LateResultBody:
    """A result as the opening of a continuation: who decided, when, and the output as data."""
    when = f" at {card.decided_at:%Y-%m-%d %H:%M} UTC" if card.decided_at is not None else ""
    decision = f"{card.state.value} by {card.decider_name or 'nobody'}{when}"
    return LateResultBody(
        approval=card.id,
        tool=result.tool,
        subject=card.preview.subject,
        decision=f"{decision}; {result.status.value}",
        text=result.text,
        result=result,
        untrusted=result.untrusted,
    )


def _has_expired(open_call: OpenCall) -> bool:
    card = open_call.approval
    return card is not None and card.state is ApprovalState.EXPIRED


def _unanswered(work: Work, card: Approval) -> bool:
    return any(c.call.id == card.call.id for c in work.progress.open_calls)
