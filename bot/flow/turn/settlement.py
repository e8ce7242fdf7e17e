"""Settles a turn: closing results, the last word, the row and the cards, in one transaction."""

from bot.domain.change import AddAudit, Write
from bot.domain.consent.approval import ApprovalState
from bot.domain.tools.tool import Code, ToolCall, ToolResult
from bot.domain.turn.outcome import Outcome, StopReason
from bot.domain.turn.step import Finish
from bot.domain.turn.turn import Turn, TurnState, WaysOn
from bot.domain.value import frozen, replace
from bot.flow.approvals.outcomes import outcomes
from bot.flow.log.closing import bodies_of, closings
from bot.flow.log.companions import Companions
from bot.flow.log.work import Work
from bot.flow.turn.card_ends import cards_at_end, ended_cards, kept_cards
from bot.flow.turn.conversations import Conversations
from bot.flow.turn.last_word import LastWords
from bot.flow.turn.outcome_words import note_of


@frozen
class Settlement:
    """Ends turns; the delivery reads rows, so nothing is handed to it in memory."""

    _conversations: Conversations
    _companions: Companions
    _last_words: LastWords

    async def settle(self, work: Work, finish: Finish) -> Outcome:
        """Closes the open calls and tells the person truthfully how the turn ended."""
        progress = work.progress
        answered = finish.stop_reason is StopReason.FINAL_ANSWER
        work.ends_whole = answered and progress.has_whole_reply
        closed = self._closed(work, finish) if progress.open_calls else []
        parts = await self._companions.ended(work, finish, closed)
        last = await self._last_words.at(work, finish, parts)
        note = note_of(last.outcome, progress)
        bodies = [] if note is None else [note]
        also: list[Write] = []
        if closed:
            bodies = [*bodies_of(closed, work.late_approval), *bodies]
            also.extend(outcomes(work, closed))
        if work.approvals:
            also = [*cards_at_end(work, finish.stop_reason), *also]
        also.extend((last.message,) if last.message is not None else ())
        also.extend(write for part in parts for write in part.writes)
        if not any(part.silent for part in parts):
            also.extend(shown for part in parts for shown in part.behind)
        also.append(self._audit(work, finish))
        if progress.closes is not None:
            await work.release()  # the summary is a model call: no unwritten entry waits for it
            also.extend(await self._conversations.close(work, progress.closes))
        settled = self._ended(work, finish.stop_reason)
        if last.leads_on:
            settled = replace(settled, ways_on=WaysOn.OPEN)
        await work.write(*bodies, turn=settled, also=also, durable=True)
        return last.outcome

    def _closed(self, work: Work, finish: Finish) -> list[tuple[ToolCall, ToolResult]]:
        worded = self._companions.closed(work, finish.code)
        return closings(work.progress.open_calls, finish.code, worded)

    async def set_aside(self, work: Work) -> None:
        """Ends a parked turn for good because the person wrote something else; its cards stay.

        The cards end too, with a reason, when a companion says so: then its work asks again.
        """
        parts = await self._companions.set_aside(work)
        why = next((part.withdraws for part in parts if part.withdraws), "")
        code = Code.CANCELLED if why else Code.AWAITING_DECISION
        worded = self._companions.closed(work, code)
        bodies = bodies_of(closings(work.progress.open_calls, code, worded), work.late_approval)
        cards = ended_cards(work, ApprovalState.CANCELLED, why) if why else kept_cards(work)
        also = (*cards, *(write for part in parts for write in part.writes))
        settled = self._ended(work, StopReason.SET_ASIDE)
        await work.write(*bodies, turn=settled, also=also, durable=True)

    def _ended(self, work: Work, reason: StopReason) -> Turn:
        return work.counted(state=TurnState.SETTLED, stop_reason=reason, ended_at=work.clock.now())

    def _audit(self, work: Work, finish: Finish) -> AddAudit:
        details = {"stop_reason": finish.stop_reason.value, "why": finish.why}
        return AddAudit(
            work.clock.now(), work.turn.chat, work.turn.asker, "turn.ended", work.turn.id, details
        )
