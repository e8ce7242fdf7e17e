"""Gives a person's commands from pages that are no chats, asks before, and shows the answers."""

from collections.abc import Awaitable, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from bot.adapters.web.posted import Forms
from bot.adapters.web.shell import Shell, visitor_of
from bot.adapters.web.talks import Talks
from bot.domain.talk.errors import Conflict, StoreError
from bot.domain.value import frozen
from bot.ports.page_commands import PageCommands

_UNSTORED = "That could not be stored just now. Nothing was done. Try it again."
_CHANGED = "Your rights changed a moment ago. Nothing was done. Load the page again."


@frozen
class Back:
    """The page that an answer leads back to."""

    href: str
    name: str


@frozen
class Question:
    """A question whose button carries something out."""

    title: str
    told: str
    """The words that it is about, as somebody wrote them; empty for none."""
    warning: str
    action: str
    fields: tuple[tuple[str, str], ...]
    yes: str


@frozen
class Giving:
    commands: PageCommands
    talks: Talks
    forms: Forms
    shell: Shell

    async def chat(self, request: Request, key: str = "") -> int:
        """Returns the number of a conversation of the person; without a key of the newest one."""
        person = visitor_of(request).person
        if not key:
            listed = await self.talks.listed(person)
            key = listed[0].key if listed else await self.talks.begin(person)
        talk = await self.talks.of(person, key)
        if talk is None:
            raise HTTPException(404)
        return talk.number

    async def given(
        self, request: Request, words: Sequence[str], back: Back, chat: str = ""
    ) -> Response:
        """Carries out a command, and shows its answer with a way back."""
        person, number = visitor_of(request).person, await self.chat(request, chat)
        name, *rest = words
        told = await stored(self.commands.carry_out(person, number, name, rest))
        return await self.answered(request, told, back)

    async def answered(self, request: Request, told: str, back: Back) -> Response:
        return await self.shell.page(
            request, "answered.html", here="more", title=back.name, told=told, back=back
        )

    async def asked(self, request: Request, question: Question, back: Back) -> Response:
        return await self.shell.page(
            request, "sure.html", here="more", title=question.title, question=question, back=back
        )


async def stored(work: Awaitable[str]) -> str:
    """Returns what a change answers; raises HTTPException with a sentence if it was not stored."""
    try:
        return await work
    except StoreError:
        raise HTTPException(503, _UNSTORED, {"retry-after": "1"}) from None
    except Conflict:
        raise HTTPException(409, _CHANGED) from None
