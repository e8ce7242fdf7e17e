"""Desks whose buttons ask for words: the press shows a question, and the reply answers it."""

import hashlib
from abc import abstractmethod

from bot.domain.change import Change, Show
from bot.domain.talk.message import REPLY_WITH, Outbound, OutboundKind, Plain, Press, PressAnswer
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.flow.commanding.desks import NOT_OURS, Desk, Meant, refused
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox


class AskingDesk(Desk[Meant]):
    """Nothing is changed before the reply, which comes to the question or to the button itself."""

    def __init__(self, journal: Journal, outbox: Outbox) -> None:
        self._journal = journal
        self._outbox = outbox

    @abstractmethod
    def stem(self, meant: Meant) -> str | None:
        """Returns the outbound key of a question but for its end; None if the button asks nothing.

        The end is a colon and the handle of the press.
        """

    @abstractmethod
    async def question(
        self, meant: Meant, press: Press, chat: int, person: Person
    ) -> Outbound | str:
        """Returns the question of a button, or the reason why this person is not asked."""

    async def press(
        self, meant: Meant, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        """Asks for the words."""
        stem = self.stem(meant)
        if person is None or stem is None:
            return refused(NOT_OURS)
        asked = await self.question(meant, press, chat, person)
        if isinstance(asked, str):
            return refused(asked)
        await self._show(f"{stem}:{press.handle}", chat, asked)
        return PressAnswer()

    def asked_key(self, meant: Meant, handle: str) -> str | None:
        stem = self.stem(meant)
        return None if stem is None else f"{stem}:{handle}"

    async def _answered(self, answer: str) -> bool:
        """Returns True when a reply was carried out already, before a death."""
        return await self._outbox.row(answer) is not None

    async def _show(self, key: str, chat: int, content: Outbound) -> None:
        await self._journal.commit(Change((Show(key, chat, content),), durable=True))


def answer_to(key: str, text: str) -> str:
    """Returns the outbound key of the answer to a reply, the same however often it comes."""
    digest = hashlib.sha256(f"{key} {text}".encode(errors="replace")).hexdigest()[:12]
    return f"{key.rpartition(':')[0]}:{digest}"


def asked_of(press: Press, person: Person, words: str) -> str:
    """Returns the words of a question; in a group they name the person who pressed."""
    return f"✏️ {'' if press.private else f'{plain_name(person.name)}: '}{words}"


def question(told: Plain, hint: str, wanted: str) -> Outbound:
    """Returns a question that asks for a reply with what is wanted, as in “the new words”."""
    how = Plain(f"{REPLY_WITH}{wanted}.", style="aside")
    return Outbound(OutboundKind.NOTICE, (told, how), asks=hint)
