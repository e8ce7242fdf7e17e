"""The command that tells why an answer is as it is."""

import asyncio
from collections.abc import Sequence

from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import frozen
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.commanding.wording import NO_ANSWER
from bot.flow.explaining.telling import StoryTeller
from bot.flow.explaining.wording import StoryWords
from bot.ports.feedback import FeedbackRows
from bot.ports.turns import TurnRows

_NOT_AN_ANSWER = (
    "That message is no answer of mine. Reply to an answer with /why, or just send /why."
)
_NOT_YOURS = "That answer was for somebody else. Only they and my owners can see why it is so."
_ON_THE_PAGE = "Step by step, in the browser: "
_STILL = "I am still working on that answer. Ask again when it is there."


@frozen
class WhyCommands:
    """Explains the answer that the message replies to, or else the newest one of the chat."""

    _answers: FeedbackRows
    _turns: TurnRows
    _teller: StoryTeller
    _words: StoryWords
    _page: str = ""
    """The address at which people reach the page from anywhere; empty without one."""

    @property
    def table(self) -> Sequence[Command]:
        summary = "why my last answer is as it is: what I saw, did and was allowed; or reply to one"
        return (Command("why", summary, self.why),)

    async def why(self, asked: Invocation) -> Answer:
        quote = asked.message.quote
        if quote is not None and quote.message_id:
            meant = await self._answers.answer_at([asked.chat.id], quote.message_id)
            if meant is None:
                return Answer(_NOT_AN_ANSWER)
        else:
            meant = await self._answers.newest_answer(asked.chat.id)
        turn = None if meant is None else await self._turns.get(meant)
        if turn is None:
            return Answer(NO_ANSWER)
        if turn.asker != asked.person.id and not asked.person.is_owner:
            return Answer(_NOT_YOURS)
        if turn.state is not TurnState.SETTLED:
            return Answer(_STILL)
        told = await self._explained(turn, asked.person.id)
        # In a group others read it, to whom the page shows nothing.
        leads = self._page and asked.chat.private
        return Answer(f"{told}\n\n{_ON_THE_PAGE}{self._page}/turn/{turn.id}" if leads else told)

    async def _explained(self, turn: Turn, person: int) -> str:
        story = await self._teller.told(turn)
        return await asyncio.to_thread(self._words.page, story, person)
