"""Commands that forms of pages give: carried out as in a chat, and answered on the page."""

from collections.abc import Awaitable, Collection, Sequence
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from bot.adapters.web.rendering.blocks import block_view
from bot.adapters.web.rendering.views import BlockView
from bot.adapters.web.shell import visitor_of
from bot.adapters.web.talks import Talks
from bot.domain.talk.errors import Conflict, StoreError
from bot.domain.talk.message import Markdown
from bot.domain.value import frozen
from bot.ports.page_commands import PageCommands

CHANGED = (
    "This page is out of date: what you pressed is not there any more. Nothing was done. Load the "
    "page again."
)
_TWICE = (
    "Somebody changed the same thing at the same moment. Nothing was done. Load the page again, "
    "and repeat it."
)
UNSTORED = "This could not be saved just now. Nothing was done. Send it again."
_SILENT = "Done."

T = TypeVar("T")


@frozen
class OrderAnswer:
    """The answer to a command, for the page that gave it."""

    block: BlockView
    keys: tuple[tuple[str, str], ...] = ()
    """Buttons with the commands that they stand for."""


def told(text: str) -> OrderAnswer:
    """Returns a sentence as an answer."""
    return OrderAnswer(block_view(Markdown(text)))


async def stored(work: Awaitable[T]) -> T:
    """Returns what a change answers; raises HTTPException with a sentence if it was not stored."""
    try:
        return await work
    except Conflict:
        raise HTTPException(409, _TWICE) from None
    except StoreError:
        raise HTTPException(503, UNSTORED, {"retry-after": "1"}) from None


@frozen
class Orders:
    """Gives commands in the name of the person who is signed in."""

    _commands: PageCommands
    talks: Talks

    async def give(
        self, request: Request, name: str, words: Sequence[str], chat: int | None = None
    ) -> OrderAnswer:
        """Carries out a command in a chat, or in the person's own conversation of the page."""
        person = visitor_of(request).person
        place = await self.chat(request) if chat is None else chat
        answer = await stored(self._commands.answer(person, place, name, words))
        return OrderAnswer(block_view(Markdown(answer.text or _SILENT)), answer.buttons)

    async def typed(self, request: Request, text: str, known: Collection[str]) -> OrderAnswer:
        """Carries out the command of a button, if it is one of those that are known here."""
        head, *words = text.split() or [""]
        name = head.removeprefix("/")
        if name not in known:
            raise HTTPException(400, CHANGED)
        return await self.give(request, name, words)

    async def chat(self, request: Request, key: str = "") -> int:
        """Returns the number of a conversation of the person; without a key of their first one."""
        visitor = visitor_of(request)
        talk = await self.talks.of(visitor.person, key or visitor.account)
        if talk is None:
            raise HTTPException(404)
        return talk.number
