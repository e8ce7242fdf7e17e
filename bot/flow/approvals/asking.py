"""Opens cards for calls that wait for a person's decision."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.domain.assignments.unwatched import is_unwatched
from bot.domain.change import AddAudit, NoteOffer, SaveApproval, Show, Write
from bot.domain.consent.approval import UNENDING, Approval
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Markdown, Outbound, OutboundKind
from bot.domain.tools.tool import Effect, ToolCall
from bot.domain.turn.step import AskFirst, Gate
from bot.flow.approvals.asked_beside import AskedBeside
from bot.flow.approvals.cards import shown_open
from bot.flow.log.foreign_addresses import shown_safely
from bot.flow.log.work import Work
from bot.ports.clock import Clock


class Asking:
    """Opens cards for the loop: writes rows only, and the delivery shows them."""

    def __init__(self, clock: Clock, limits: Limits, beside: AskedBeside) -> None:
        self._clock = clock
        self._beside = beside
        self._life = timedelta(hours=limits.approval_hours)

    async def ask(
        self, work: Work, calls: Sequence[ToolCall], gates: Mapping[str, Gate]
    ) -> tuple[Approval, ...]:
        """Opens a card for each call whose gate asks first, below the words that tell why."""
        asked = [(c, g) for c in calls if isinstance(g := gates[c.id], AskFirst)]
        plain = sum(g.preview.effect is not Effect.DANGER and not g.repeat for _, g in asked)
        made = [
            self._card(work, call, _of_round(gate, len(asked)), position, plain)
            for position, (call, gate) in enumerate(asked)
        ]
        cards = tuple(replace(card, asked_with=made[0].id) for card in made)
        writes: list[Write] = [*_words_before(work)]
        for card in cards:
            subject = card.preview.subject
            details = {"call": card.call.id, "turn": card.turn, "arguments": card.call.canonical}
            now = card.created_at
            writes.append(SaveApproval(card))
            writes.extend(shown_open(card))
            writes.append(AddAudit(now, card.chat, card.asker, "card.opened", subject, details))
            if card.preview.offer is not None:
                writes.append(NoteOffer(card.chat, card.preview.offer.under))
        await work.write(also=writes, asked=await self._beside.by(work))
        return cards

    def _moment(self, work: Work, call: ToolCall) -> datetime:
        """Returns the time of a new card: later than an earlier one for this call, on any clock."""
        now = self._clock.now()
        earlier = next((c.approval for c in work.progress.open_calls if c.call.id == call.id), None)
        return now if earlier is None else max(now, earlier.created_at + timedelta.resolution)

    def _card(
        self, work: Work, call: ToolCall, gate: AskFirst, position: int, group: int
    ) -> Approval:
        now, chat = self._moment(work, call), work.log.chat
        return Approval(
            id=secrets.token_hex(8),
            token=secrets.token_urlsafe(16),
            chat=chat.shown_in,
            home=chat.id if chat.screen is not None else None,
            conversation=work.turn.conversation,
            turn=work.turn.id,
            call=call,
            preview=gate.preview,
            asker=work.turn.asker,
            asker_name=work.turn.asker_name if gate.owner_chats or not chat.private else "",
            purpose=work.purpose,
            created_at=now,
            expires_at=UNENDING
            if is_unwatched(work.turn.parent or work.turn.id)
            else now + self._life,
            kind="repeat" if gate.repeat else "call",
            position=position,
            group=group,
            owner_chats=gate.owner_chats,
        )


def _words_before(work: Work) -> tuple[Show, ...]:
    """Returns the message with the words said so far: the reason for a card stands above it."""
    spoken, turn = work.progress.spoken, work.turn
    if not spoken or turn.parent is not None:
        return ()  # an errand speaks with its parent alone, and its card names it
    blocks = tuple(Markdown(words, said=True) for words in spoken)
    content = Outbound(OutboundKind.NOTICE, blocks, reply_to=turn.reply_to)
    said = shown_safely(work, content)
    return (Show(f"said:{turn.id}:{turn.rounds}", turn.chat, said, about=turn.id),)


def _of_round(gate: AskFirst, together: int) -> AskFirst:
    """Returns the gate whose card says how many are asked together."""
    return replace(gate, preview=replace(gate.preview, together=together))
