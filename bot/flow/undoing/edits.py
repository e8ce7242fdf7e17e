"""An edit of the newest answered message: it is offered to be answered anew."""

from bot.domain.change import Change, CheckAccess, SaveTurn, Show
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import (
    InboundMessage,
    Outbound,
    OutboundKind,
    Plain,
    Press,
    PressAnswer,
)
from bot.domain.talk.person import Person
from bot.domain.turn.transcript import AskerBody
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen
from bot.flow.commanding.desks import NOT_OURS, Desk, refused
from bot.flow.reading.row_reader import RowReader
from bot.flow.undoing import wording
from bot.flow.undoing.undo_turns import newest_turn
from bot.flow.undoing.waiting_cards import WaitingCards
from bot.flow.ways.buttons import pressed_in, without_buttons
from bot.flow.ways.desk import GONE_ON, PRESSED
from bot.flow.ways.follower import anew
from bot.ports.clock import Clock
from bot.ports.inbox import Inbox
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.outbox import Outbox, OutboxRow
from bot.ports.turns import TurnRows


@frozen
class EditButton:
    """The meaning of the button: the turn that answered, and the row of the edit."""

    turn: str
    row: int


EDIT_BUTTONS = ButtonCodec("y", EditButton)


@frozen
class EditDesk(Desk[EditButton]):
    """Offers the button, and takes its press; the words are read from the row of the edit."""

    buttons = (EDIT_BUTTONS,)

    _journal: Journal
    _inbox: Inbox
    _rows: RowReader
    _turns: TurnRows
    _outbox: Outbox
    _waiting: WaitingCards
    _lanes: Lanes
    _clock: Clock

    async def offer(self, row: int, message: InboundMessage, chat: Chat) -> tuple[str, Show] | None:
        """Returns the turn that answered a message and the offer; None for any other edit.

        Only words count that the person typed, alone, in the newest turn that is in view. While a
        plan is open nothing is answered anew: the line says so, and has no button.
        """
        if not _is_typed(message) or message.attachments or not message.text.strip():
            return None
        if message.text.startswith("/"):
            return None
        turn = await self._newest(chat)
        bodies = await self._askers(chat, turn) if turn is not None else []
        if turn is None or [body.message_id for body in bodies] != [message.message_id]:
            return None
        if bodies[0].images or bodies[0].spoken or bodies[0].text == message.text:
            return None
        planned = (await self._journal.agenda(chat.id)).plan is not None
        button = EDIT_BUTTONS.button(wording.ANSWER_ANEW, EditButton(turn, row))
        told = (Plain(wording.EDITED_PLANNED if planned else wording.EDITED, style="line"),)
        to = None if message.private else message.message_id
        content = Outbound(OutboundKind.OPTION, told, () if planned else ((button,),), reply_to=to)
        return turn, Show(_key(turn), chat.id, content, about=turn)

    async def declined(self, message: InboundMessage, chat: Chat) -> str:
        """Returns the sentence about an edit that changes nothing; empty where none is needed.

        Whatever else people write in a group is not for the bot, nor are its edits. A platform also
        sends edits that nobody made, as those of a location that moves.
        """
        if not _is_typed(message):
            return ""
        log = await self._journal.entries(chat.conversation)
        asked = {
            entry.turn: body
            for entry in log
            if isinstance(body := entry.body, AskerBody) and body.message_id == message.message_id
        }
        same = any(body.text == message.text for body in asked.values())
        if same or not (asked or message.private):
            return ""
        if message.text.startswith("/"):
            return wording.EDITED_COMMAND
        newest = newest_turn(log)
        if newest not in asked:
            return wording.EDITED_EARLIER
        together = len(await self._askers(chat, newest)) > 1
        return wording.EDITED_TOGETHER if together else wording.EDITED_FILE

    async def press(
        self, meant: EditButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        first, edit = await self._turns.get(meant.turn), await self._inbox.get(meant.row)
        message = None if edit is None or edit.chat != chat else self._rows.message(edit)
        if first is None or message is None or first.chat != chat:
            return refused(NOT_OURS)
        if person is None or not person.may_decide_for(first.asker):
            return refused(wording.NOT_YOURS_ANEW)
        shown = await self._outbox.row(_key(first.id))
        if shown is None or pressed_in(shown.content, press.data) is None:
            # It was pressed already, or the message was changed once more.
            return refused(PRESSED)
        return await self._queue(first, message.text, person, shown)

    async def _queue(self, first: Turn, text: str, person: Person, shown: OutboxRow) -> PressAnswer:
        agenda = await self._journal.agenda(first.chat)
        if await self._newest(agenda.chat) != first.id:
            return refused(GONE_ON)
        if agenda.busy or agenda.plan is not None:
            return refused(wording.RETRY_BUSY if agenda.busy else wording.ANEW_PLANNED)
        back = await self._waiting.withdraw(agenda, first.id, person)
        queued = anew(first, agenda.chat, person, "", self._clock.now(), said=text)
        told = without_buttons(shown, wording.ANSWERING_ANEW)
        writes = (CheckAccess(person.id), SaveTurn(queued), told, *back)
        await self._journal.commit(Change(writes, durable=True))
        self._lanes.wake(first.chat)
        return PressAnswer()

    async def _newest(self, chat: Chat) -> str | None:
        return newest_turn(await self._journal.entries(chat.conversation))

    async def _askers(self, chat: Chat, turn: str) -> list[AskerBody]:
        log = await self._journal.entries(chat.conversation)
        own = (entry.body for entry in log if entry.turn == turn)
        return [body for body in own if isinstance(body, AskerBody)]

    async def card_key(self, meant: EditButton, chat: int) -> str | None:
        """Returns the outbound key of the offer with this button."""
        return _key(meant.turn)


def _is_typed(message: InboundMessage) -> bool:
    return message.writer is None and not message.foreign


def _key(turn: str) -> str:
    return f"edited:{turn}"
