"""Takes presses of the cards of resting turns: try it now, or give it up."""

from bot.domain.change import AskStop, Change, EndRest
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.turn.turn import GIVEN_UP, TurnState
from bot.domain.value import frozen
from bot.flow.commanding.desks import NOT_YOURS, Desk, refused, spent
from bot.flow.turn.rest_card import REST_BUTTONS, RestButton, RestVerb, key_of
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes


@frozen
class RestDesk(Desk[RestButton]):
    """Ends the rest of a turn, as its asker or an owner wants it."""

    buttons = (REST_BUTTONS,)

    _journal: Journal
    _lanes: Lanes
    _clock: Clock

    async def press(
        self, meant: RestButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        agenda = await self._journal.agenda(chat)
        lane = next((one.home for one in agenda.errands if one.id == meant.turn), chat)
        if lane != chat:
            agenda = await self._journal.agenda(lane)
        turn = next((t for t in agenda.unfinished if t.id == meant.turn), None)
        if turn is None or turn.state is not TurnState.RESTING or turn.rests != meant.rest:
            return spent()
        if person is None or not person.may_decide_for(turn.asker):
            return refused(NOT_YOURS)
        if meant.verb is RestVerb.GIVE_UP:
            told, write = (
                "Giving up.",
                AskStop(turn.id, f"{GIVEN_UP}, by {plain_name(person.name)}"),
            )
        else:
            told, write = "Trying again.", EndRest(turn.id, turn.rests, self._clock.now())
        try:
            await self._journal.commit(Change((write,), durable=True))
        except Conflict:
            return spent()
        self._lanes.wake(lane)
        return PressAnswer(told)

    async def card_key(self, meant: RestButton, chat: int) -> str | None:
        """Returns the outbound key of the card with this button."""
        return key_of(meant.turn)
