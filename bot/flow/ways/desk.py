"""The desk for the buttons below the end of a turn: each counts once, while nobody has gone on."""

from contextlib import suppress

from bot.domain.change import AskStop, Change, EndWays
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.turn.turn import Turn, TurnState, WaysOn
from bot.domain.value import frozen
from bot.flow.commanding.desks import NOT_OURS, Desk, refused
from bot.flow.ways.buttons import (
    END_BUTTONS,
    EndButton,
    EndVerb,
    halt_key,
    key_of,
    left_over,
    pressed_in,
    wait_key,
    without_buttons,
)
from bot.flow.ways.pressing import Pressed
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.outbox import Outbox, OutboxRow
from bot.ports.people import People
from bot.ports.turns import TurnRows

PRESSED = "This was pressed already."
GONE_ON = "The conversation has gone on since, so this button does nothing. Just write to me."
NOT_YOURS = "Only the one who asked, or an owner, may press this."
OVER = "That is over already."
NO_ASKER = "The one who asked can no longer use me, so this button does nothing."


@frozen
class WaysDesk(Desk[EndButton]):
    buttons = (END_BUTTONS,)

    _journal: Journal
    _turns: TurnRows
    _outbox: Outbox
    _people: People
    _lanes: Lanes
    _clock: Clock

    async def press(
        self, meant: EndButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        turn = await self._turns.get(meant.turn)
        if turn is None or turn.chat != chat:
            return refused(NOT_OURS)
        if person is None or not person.may_decide_for(turn.asker):
            return refused(NOT_YOURS)
        if meant.verb in (EndVerb.STOP, EndVerb.HALT):
            return await self._stop(turn, meant, press, person)
        return await self._go(turn, meant, press.data, person)

    async def _stop(
        self, turn: Turn, meant: EndButton, press: Press, person: Person
    ) -> PressAnswer:
        """Stops a turn that works or waits for its model."""
        if turn.state is TurnState.SETTLED:
            if meant.verb is EndVerb.HALT and press.message_id is not None:
                # A copy that a death in the middle of the sending left behind.
                await self._journal.commit(Change((left_over(turn, press.message_id),)))
            return PressAnswer(OVER, alone=True)
        asked = AskStop(turn.id, f"Stop, by {plain_name(person.name)}")
        await self._journal.commit(Change((asked,), durable=True))
        self._lanes.interrupt(turn.chat)
        return PressAnswer()

    async def _go(self, turn: Turn, meant: EndButton, data: str, person: Person) -> PressAnswer:
        if turn.ways_on is not WaysOn.OPEN:
            return refused(PRESSED if turn.ways_on is WaysOn.PRESSED else GONE_ON)
        agenda = await self._journal.agenda(turn.chat)
        shown = await self._outbox.row(key_of(turn.id))
        button = pressed_in(shown.content, data) if shown is not None else None
        if shown is None or button is None:
            return refused(NOT_OURS)
        if agenda.chat.conversation != turn.conversation:
            return await self._gone_on(turn, shown)
        if agenda.busy:
            return refused(GONE_ON)
        if await self._people.get(turn.asker) is None:
            return refused(NO_ASKER)
        pressed = Pressed(meant, button, shown, person, self._clock.now())
        writes = pressed.writes(turn, private=agenda.chat.private)
        try:
            await self._journal.commit(Change(writes, durable=True))
        except Conflict:
            return await self._go(await self._turns.get(turn.id) or turn, meant, data, person)
        self._lanes.wake(turn.chat)
        return PressAnswer()

    async def _gone_on(self, turn: Turn, shown: OutboxRow) -> PressAnswer:
        """Takes buttons away that a fresh start has left behind."""
        past = (EndWays(turn.id, WaysOn.PAST), without_buttons(shown))
        # Another press may just have done so.
        with suppress(Conflict):
            await self._journal.commit(Change(past, durable=True))
        return refused(GONE_ON)

    async def card_key(self, meant: EndButton, chat: int) -> str | None:
        """Returns the outbound key of the message with this button."""
        match meant.verb:
            case EndVerb.STOP:
                return wait_key(meant.turn)
            case EndVerb.HALT:
                return halt_key(meant.turn)
            case _:
                return key_of(meant.turn)
