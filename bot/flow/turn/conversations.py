"""Fresh starts: closing a conversation with its summary and opening the next one."""

from datetime import datetime

from bot.domain.change import AddUsage, SaveConversation, Write
from bot.domain.talk.chat import Chat, Conversation
from bot.domain.text.visible_text import clipped
from bot.domain.turn.transcript import AskerBody
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen, replace
from bot.flow.approvals.undecided import CardEnding
from bot.flow.log.fresh_start import fresh, put_away
from bot.flow.log.work import Work
from bot.flow.models.compaction import Compaction, digest_of
from bot.flow.models.model_calls import ModelCalls
from bot.ports.approvals import Approvals
from bot.ports.chats import ConversationRows


@frozen
class Conversations:
    _chats: ConversationRows
    _approvals: Approvals
    _ending: CardEnding
    _compaction: Compaction
    _models: ModelCalls

    async def close(self, work: Work, reason: str) -> list[Write]:
        """Returns the writes that end this conversation with a summary and open a new one."""
        profile = self._models.profile(work.turn.model)
        text, usage = await self._compaction.summary_of(work.log.entries(), profile, work)
        await self._withdraw_cards(work.turn)
        now = work.clock.now()
        closed = await self._closed(work.log.chat, work.turn.conversation, now)
        ended = replace(
            closed,
            title=closed.title or _title(work),
            summary=f"{text}\n\n({reason})" if reason else text,
        )
        _, opening = fresh(work.log.chat, now)
        usages: tuple[AddUsage, ...] = usage
        return [SaveConversation(ended), *opening, *usages]

    async def _withdraw_cards(self, turn: Turn) -> None:
        """Ends the asker's open cards of earlier turns; cards of this turn end with the turn."""
        cards = await self._approvals.open_in(turn.chat)
        left = [c for c in cards if c.set_aside and c.asker == turn.asker]
        await self._ending.withdraw(left, None)

    async def _closed(self, chat: Chat, conversation: str, now: datetime) -> Conversation:
        found = await self._chats.conversation(chat.id, conversation)
        return put_away(found or Conversation(conversation, chat.id, now), chat, now)


def _title(work: Work) -> str:
    asked = [e.body.text for e in work.log.entries() if isinstance(e.body, AskerBody)]
    return clipped(" ".join(asked[0].split()), 80) if asked else digest_of(())
