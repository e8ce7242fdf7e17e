"""Sends presses and replies to the right desk, and holds the texts that all desks share."""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Protocol

from bot.domain.change import Change, Show
from bot.domain.talk.message import OutboundKind, Press, PressAnswer, Quote
from bot.domain.talk.person import Person
from bot.domain.value import frozen, replace
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox

PLACES = "z"
"""The first letter of the data of the button that asks for a location."""

NOT_OURS = "This button does nothing."
_DECIDED = "This is decided already"
_SIGNS = re.compile(r"^[^\w“`(\[/]+")
_SPENT = f"{_DECIDED}."
STOPPED = "This was stopped, so nothing runs."
NOT_APPROVER = "Only an owner can approve this. You can still deny or stop it."
REFERRED = "I have asked them now."
NOT_YOURS = "Only the one who asked, or an owner, may decide this."
UNSHOWN = "The whole of it is not on the screen yet. Look at the document first."
HOW_TO_PRESS = "To approve, press the button on the card. Or reply with what should be different."
STAYS_OPEN = f"The card stays open. {HOW_TO_PRESS}"


def spent(how: str = "", by: str = "", ago: str = "") -> PressAnswer:
    """Returns the answer to a press that came too late: the decision, its maker and its age."""
    told = f"{how} by {by}" if how and by else how
    known = ", ".join(part for part in (told, ago) if part)
    return PressAnswer(f"{_DECIDED}: {known}." if known else _SPENT, alone=True)


def in_a_sentence(verdict: str) -> str:
    """Returns the first sentence of a verdict as the end of another one, without its sign."""
    line = verdict.partition("\n")[0].partition(". ")[0]
    first = _SIGNS.sub("", line).rstrip(".")
    return first[:1].lower() + first[1:] if not first.startswith("I ") else first


def refused(why: str) -> PressAnswer:
    """Returns the answer to a press that did nothing."""
    return PressAnswer(why, refused=True)


class Taken(Enum):
    """The effect of a reply to a card.

    WISHED means that the reply changes the card and is also the next message of the chat. ASSENT
    and QUESTION leave the card as it is; the person is told how to decide, and the question is
    also the next message.
    """

    NO = "no"
    DECIDED = "decided"
    WISHED = "wished"
    ASSENT = "assent"
    QUESTION = "question"


class Desk(Protocol):
    async def press(self, press: Press, chat: int, person: Person | None) -> PressAnswer:
        """Takes a press; returns the private answer to the person who pressed."""
        ...

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        """Takes a reply to the message with this outbound key.

        `asked` is true when a button of that message asked for the words.
        """
        ...

    def asked_key(self, data: str, handle: str) -> str | None:
        """Returns the outbound key of the question that a press of this button would show.

        None where the words count for the message with the button. `handle` names the press.
        """
        ...

    async def present(self, data: str, chat: int, person: Person) -> str:
        """Returns the words that a press of this button would change; empty where it changes none.

        Empty, too, where the person may not change them.
        """
        ...

    async def card_key(self, data: str, chat: int) -> str | None:
        """Returns the outbound key of the card with this button in this chat."""
        ...

    async def holds_up(self, chat: int, person: Person) -> bool:
        """Returns True when the chat's turn waits for this person to press a button."""
        ...


class WordsAnew:
    """A desk whose buttons ask for words that stand nowhere yet."""

    async def present(self, data: str, chat: int, person: Person) -> str:
        del data, chat, person
        return ""


class Unawaited(WordsAnew):
    """A desk of buttons for which no turn waits, and whose press changes no card."""

    def asked_key(self, data: str, handle: str) -> str | None:
        del data, handle
        return None

    async def card_key(self, data: str, chat: int) -> str | None:
        del data, chat
        return None

    async def holds_up(self, chat: int, person: Person) -> bool:
        del chat, person
        return False


class ButtonsAlone(Unawaited):
    """A desk that takes no words: a reply to its message is a message like any other."""

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        del chat, key, text, person, asked
        return Taken.NO


@frozen
class Desks:
    """The desks by the first letter of their buttons' data."""

    _outbox: Outbox
    _journal: Journal
    _desks: Mapping[str, Desk]

    async def press(self, press: Press, chat: int, person: Person | None) -> PressAnswer:
        desk = self._desks.get(press.data.partition(":")[0])
        if desk is None:
            return refused(NOT_OURS)
        told = await desk.press(press, chat, person)
        if told.text == _SPENT:
            told = spent(await self._verdict(desk, press, chat))
        if press.message_id is not None:
            await self._bring_up_to_date(desk, press.data, chat, press.message_id)
        return told

    async def _verdict(self, desk: Desk, press: Press, chat: int) -> str:
        """Returns how a card was decided, in the words that stand on it now; empty if unknown."""
        known = press.message_id and await self._outbox.key_of(chat, press.message_id)
        key = known or await desk.card_key(press.data, chat)
        row = await self._outbox.row(key) if key else None
        if row is None or row.content.buttons or not row.content.blocks:
            return ""
        return in_a_sentence(row.content.blocks[-1].text)

    async def _bring_up_to_date(self, desk: Desk, data: str, chat: int, message_id: str) -> None:
        """Edits a copy of a card, sent because the platform's word of the first one was lost.

        A card of which no message is known yet is no copy: its own is being recorded. The last
        piece of a long answer stays as it is, since the whole would not fit into it.
        """
        key = await desk.card_key(data, chat)
        row = await self._outbox.row(key) if key is not None else None
        if row is None or not row.message_ids or message_id in row.message_ids:
            return
        if row.content.kind is OutboundKind.CARD or len(row.message_ids) == 1:
            # Its document has come with the card itself.
            content = replace(row.content, files=())
            key = f"copy:{message_id}:{row.id}"
            copy = Show(key, chat, content, over=message_id, copy_of=row.id, about=row.about)
            await self._journal.commit(Change((copy,)))

    async def reply(self, chat: int, to: Quote, text: str, person: Person, handle: str) -> Taken:
        """Takes words that answer a message; `handle` names the message with the words."""
        desk = self._desks.get(to.asked.partition(":")[0])
        key = None if desk is None else desk.asked_key(to.asked, handle)
        if key is None and to.message_id is not None:
            key = await self._outbox.key_of(chat, to.message_id)
        if key is None:
            return Taken.NO
        for desk in self._desks.values():
            taken = await desk.reply(chat, key, text, person, asked=bool(to.asked))
            if taken is not Taken.NO:
                return taken
        return Taken.NO

    async def present(self, data: str, chat: int, person: Person) -> str:
        """Returns the words that a button changes, for a person who may change them."""
        desk = self._desks.get(data.partition(":")[0])
        return "" if desk is None else await desk.present(data, chat, person)

    async def located(self, chat: int, message_id: str, text: str, person: Person) -> Taken:
        """Takes a location that replies to a message; only the desk that asks for one gets it."""
        key, desk = await self._outbox.key_of(chat, message_id), self._desks.get(PLACES)
        if key is None or desk is None:
            return Taken.NO
        return await desk.reply(chat, key, text, person)

    async def assented(self, chat: int, person: Person) -> Taken:
        """Takes a bare “yes” that answers no other message: it is meant for the open card."""
        for desk in self._desks.values():
            if await desk.holds_up(chat, person):
                return Taken.ASSENT
        return Taken.NO
