"""Sends presses and replies to the right desk, and holds the texts that all desks share."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import Any, ClassVar, Generic, TypeVar

from bot.domain.change import Change, Show
from bot.domain.change.erasing import is_erased_message
from bot.domain.consent.assent import is_assent, is_refusal
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.message import HOW_TO_PRESS, Outbound, OutboundKind, Press, PressAnswer, Quote
from bot.domain.talk.person import Person
from bot.domain.talk.session import PAGE
from bot.domain.value import frozen, replace
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox

PLACES = "z"
"""The first letter of the data of the button that asks for a location."""

NOT_OURS = "This button does nothing."
ERASED = "What this was about is erased, so this button does nothing."
_DECIDED = "This is decided already"
_SIGNS = re.compile(r"^[^\w“`(\[/]+")
_SPENT = f"{_DECIDED}."
STOPPED = "This was stopped, so nothing runs."
NOT_APPROVER = "Only an owner can approve this. You can still deny or stop it."
REFERRED = "I have asked them now."
NOT_YOURS = "Only the one who asked, or an owner, may decide this."
UNSHOWN = "The whole of it is not on the screen yet. Look at the document first."
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


async def is_shown_whole(card: Outbound, key: str, press: Press, outbox: Outbox) -> bool:
    """Returns True when the card's document has arrived, or when the card has none.

    The page shows the whole of each card and plan itself. `key` is the outbound key of the card.
    """
    if press.sender.channel == PAGE or not card.files:
        return True
    row = await outbox.row(key)
    return row is not None and row.shown_version > 0


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


Meant = TypeVar("Meant")


class Desk(ABC, Generic[Meant]):
    """A receiver of presses and replies. As it is here, it only takes presses of buttons."""

    buttons: ClassVar[Sequence[ButtonCodec[Any]]] = ()
    """Its codecs; the first one that reads the data of a button tells its meaning."""

    @abstractmethod
    async def press(
        self, meant: Meant, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        """Takes a press; returns the private answer to the person who pressed."""

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        """Takes a reply to the message with this outbound key.

        `asked` is true when a button of that message asked for the words.
        """
        del chat, key, text, person, asked
        return Taken.NO

    def asked_key(self, meant: Meant, handle: str) -> str | None:
        """Returns the outbound key of the question that a press of this button would show.

        None where the words count for the message with the button. `handle` names the press.
        """
        del meant, handle
        return None

    async def present(self, meant: Meant, chat: int, person: Person) -> str:
        """Returns the words that a press of this button would change; empty where it changes none.

        Empty, too, where the person may not change them.
        """
        del meant, chat, person
        return ""

    async def card_key(self, meant: Meant, chat: int) -> str | None:
        """Returns the outbound key of the card with this button in this chat, if it is a card."""
        del meant, chat
        return None

    async def waits_for(self, chat: int, person: Person) -> int:
        """Returns how many cards this person may decide of which nothing newer was said."""
        del chat, person
        return 0

    async def refuse(self, chat: int, person: Person) -> bool:
        """Says no to the one card that waits for this person; False when it is decided already."""
        del chat, person
        return False


@frozen
class Desks:
    """Reads what a button means, and brings it to the desk that takes such buttons."""

    _outbox: Outbox
    _journal: Journal
    _desks: Sequence[Desk[Any]]

    async def press(self, press: Press, chat: int, person: Person | None) -> PressAnswer:
        found = self._found(press.data)
        if found is None:
            return refused(NOT_OURS)
        desk, meant = found
        told = await desk.press(meant, press, chat, person)
        card = await desk.card_key(meant, chat)
        if told.text == _SPENT:
            told = spent(await self._verdict(card, press, chat))
        if press.message_id is not None:
            await self._bring_up_to_date(card, chat, press.message_id)
        return told

    async def is_erased(self, press: Press, chat: int) -> bool:
        """Returns True for a button of a message that a screen shows as it was before."""
        key = press.message_id and await self._outbox.key_of(chat, press.message_id)
        row = await self._outbox.row(key) if key else None
        return row is not None and is_erased_message(row.content)

    def _found(self, data: str) -> tuple[Desk[Any], Any] | None:
        """Returns the desk of a button, and what the button means; None for data of nobody."""
        read = ((desk, one.read(data)) for desk in self._desks for one in desk.buttons)
        return next((found for found in read if found[1] is not None), None)

    async def _verdict(self, card: str | None, press: Press, chat: int) -> str:
        """Returns how a card was decided, in the words that stand on it now; empty if unknown."""
        known = press.message_id and await self._outbox.key_of(chat, press.message_id)
        key = known or card
        row = await self._outbox.row(key) if key else None
        if row is None or row.content.buttons or not row.content.blocks:
            return ""
        return in_a_sentence(row.content.blocks[-1].text)

    async def _bring_up_to_date(self, key: str | None, chat: int, message_id: str) -> None:
        """Edits a copy of a card, sent because the platform's word of the first one was lost.

        A card of which no message is known yet is no copy: its own is being recorded. The last
        piece of a long answer stays as it is, since the whole would not fit into it.
        """
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
        found = self._found(to.asked)
        key = None if found is None else found[0].asked_key(found[1], handle)
        if key is None and to.message_id is not None:
            key = await self._outbox.key_of(chat, to.message_id)
        elif key is None and found is not None:
            # Its platform may be away; the page shows it all the same.
            key = await found[0].card_key(found[1], chat)
        if key is None:
            return Taken.NO
        for desk in self._desks:
            taken = await desk.reply(chat, key, text, person, asked=bool(to.asked))
            if taken is not Taken.NO:
                return taken
        return Taken.NO

    async def present(self, data: str, chat: int, person: Person) -> str:
        """Returns the words that a button changes, for a person who may change them."""
        found = self._found(data)
        return "" if found is None else await found[0].present(found[1], chat, person)

    async def located(self, chat: int, message_id: str, text: str, person: Person) -> Taken:
        """Takes a location that replies to a message; only the desk that asks for one gets it."""
        key = await self._outbox.key_of(chat, message_id)
        asking = (d for d in self._desks if any(one.letter == PLACES for one in d.buttons))
        desk = next(asking, None)
        if key is None or desk is None:
            return Taken.NO
        return await desk.reply(chat, key, text, person)

    async def said(self, chat: int, text: str, person: Person) -> Taken:
        """Takes words that answer no message, while cards may wait: the one rule of all channels.

        They are the next message, and the cards wait. A bare “yes” or “no” is meant for the card
        that nothing newer was said below: “yes” presses nothing, and “no” refuses the only one.
        """
        no = is_refusal(text)
        if not no and not is_assent(text):
            return Taken.NO
        waiting = [(desk, await desk.waits_for(chat, person)) for desk in self._desks]
        if no and sum(count for _, count in waiting) == 1:
            desk = next(desk for desk, count in waiting if count)
            return Taken.DECIDED if await desk.refuse(chat, person) else Taken.NO
        return Taken.ASSENT if any(count for _, count in waiting) else Taken.NO
