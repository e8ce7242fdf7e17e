"""Messages that join the running turn instead of waiting for the next one."""

from bot.domain.talk.chat import QueueMode
from bot.domain.value import frozen
from bot.flow.log.companions import Companions
from bot.flow.log.work import Work
from bot.flow.reading.gathering import Gathered, Gathering, newest_seam
from bot.flow.signs.reactions import Reactions
from bot.ports.inbox import Inbox
from bot.ports.journal import MOST_AHEAD


@frozen
class Steering:
    _inbox: Inbox
    _gathering: Gathering
    _reactions: Reactions
    _companions: Companions

    async def join(self, work: Work) -> None:
        """Adds messages that the asker or an owner wrote meanwhile behind the round's results."""
        if work.log.chat.settings.queue_mode is not QueueMode.STEER:
            return
        while (gathered := await self._next(work)) is not None:
            body = gathered.asked.body(steering=True)
            await work.write(body, also=gathered.taken(work.turn.chat, work.turn.id))
            joined = gathered.asked.bundle.first.message_id
            self._reactions.taken(work.address, [joined], gathered.since)

    async def _next(self, work: Work) -> Gathered | None:
        """Returns the next message that may join; waits while a message is still coming in."""
        chat = work.log.chat
        while waiting := await self._inbox.waiting(chat.id, MOST_AHEAD):
            gathered = await self._gathering.next(waiting, chat)
            if gathered is None:
                return None
            if not gathered.asked.person.may_decide_for(work.turn.asker):
                return None
            if self._companions.opens(gathered.asked.bundle):
                return None
            if gathered.wait > 0:
                await work.clock.sleep(gathered.wait)
                continue
            gathered = self._gathering.noted(gathered, newest_seam(work.log))
            if not gathered.asked.enclosing:
                return gathered
            opened = await self._gathering.opened(gathered, chat)
            if opened.stands(await self._inbox.waiting(chat.id, MOST_AHEAD)):
                return opened
            return None  # the next round looks at it again
        return None
