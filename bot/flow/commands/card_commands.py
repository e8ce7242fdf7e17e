"""The command that shows the open cards again."""

from collections.abc import Sequence

from bot.domain.change import Show, Write
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.value import frozen, replace
from bot.flow.approvals.cards import shown_later
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.plans.cards import headline
from bot.ports.approvals import Approvals
from bot.ports.clock import Clock
from bot.ports.members import Members
from bot.ports.outbox import Outbox, OutboxRow
from bot.ports.plans import Plans

_MOST = 10
"""Cards that one command shows again."""


@frozen
class CardCommands:
    _approvals: Approvals
    _members: Members
    _plans: Plans
    _outbox: Outbox
    _clock: Clock

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "approvals",
                "show what waits for your decision",
                self.approvals,
                "",
                Topic.CONSENT,
                first=True,
            ),
        )

    async def approvals(self, asked: Invocation) -> Answer:
        """Sends the open cards again, with their buttons; the old ones say so and lose theirs."""
        found = await self._open(asked)
        if not found:
            return Answer("Nothing is waiting for your decision.")
        writes: list[Write] = []
        for line, row in found[:_MOST]:
            writes.extend(_again(line, row))
        count = len(found)
        waiting = "1 card is" if count == 1 else f"{count} cards are"
        first = f" The first {_MOST} are shown again above." if count > _MOST else ""
        return Answer(f"{waiting} waiting for a decision.{first}", tuple(writes))

    async def _open(self, asked: Invocation) -> list[tuple[str, OutboxRow]]:
        """Returns the open cards that this chat shows, each with its line."""
        here = asked.chat.id
        cards = list(await self._approvals.open_in(here))
        if asked.person.is_owner and asked.chat.private:
            cards += [c for c in await self._members.for_owners() if c.chat != here]
        found: list[tuple[str, OutboxRow]] = []
        for card in cards:
            row = await self._outbox.row(card.key_in(here)) if here in card.chats else None
            if row is not None:
                content = shown_later(row.content, card, self._clock.now())
                found.append((card.preview.subject, replace(row, content=content)))
        plan = await self._plans.live(here)
        if plan is not None and not plan.collecting and plan.turn is None:
            row = await self._outbox.row(plan.key_in(here))
            found += [(headline(plan), row)] if row is not None else []
        return found


def _again(line: str, row: OutboxRow) -> Sequence[Write]:
    """Returns the writes that send a message again, and leave one line of the old one."""
    again = Show(row.key, row.chat, row.content, anew=True)
    old = _with_buttons(row)
    if old is None:
        return (again,)
    left = Outbound(
        OutboundKind.CARD, (Plain(f"⤵️ {line} · shown again: use the newer card", style="line"),)
    )
    return (again, Show(f"copy:{old}:{row.id}", row.chat, left, over=old, about=row.about))


def _with_buttons(row: OutboxRow) -> str | None:
    """Returns the platform message of a card that has its buttons."""
    pairs = zip(row.message_ids, row.pieces, strict=False)
    first = row.message_ids[0] if row.message_ids else None
    return next((id for id, piece in pairs if piece.body.get("buttons")), first)
