"""Messages that join the running turn instead of waiting for the next one."""

from bot.domain.change import InboundState, MarkInbound
from bot.domain.chat import QueueMode
from bot.domain.transcript import AskerBody
from bot.flow.asker import Asker
from bot.flow.work import Work
from bot.ports.inbox import Inbox


class Steering:
    def __init__(self, inbox: Inbox, asker: Asker) -> None:
        self._inbox = inbox
        self._asker = asker

    async def join(self, work: Work) -> None:
        """Lets what the asker or an owner wrote meanwhile stand after the round's last result."""
        chat = work.log.chat
        if chat.queue_mode is not QueueMode.STEER:
            return
        for row in await self._inbox.waiting(chat.id):
            asked = await self._asker.read(row, chat)
            if asked is None or not asked.person.may_decide_for(work.turn.asker):
                return
            if asked.message.attachments:
                asked = await self._asker.opened(asked, chat)
                now = await self._inbox.waiting(chat.id)
                if not any(r.id == row.id and r.body == row.body for r in now):
                    return  # edited or dropped meanwhile: the next round sees it anew
            body: AskerBody = asked.body(steering=True)
            taken = MarkInbound(
                row.id, InboundState.TAKEN, (InboundState.WAITING,), chat.id, turn=work.turn.id
            )
            await work.write(body, also=(taken, *asked.enclosed.wholes))
