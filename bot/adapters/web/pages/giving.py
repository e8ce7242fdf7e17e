"""Gives a person's commands from pages that are no chats, asks before, and shows the answers."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from bot.adapters.web.orders import OrderAnswer, Orders
from bot.adapters.web.posted import Forms
from bot.adapters.web.shell import Shell
from bot.adapters.web.talks import Talks
from bot.domain.value import frozen


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
class Return:
    """A form below an answer that takes back what was done."""

    action: str
    fields: tuple[tuple[str, str], ...]


@frozen
class Giving:
    orders: Orders
    forms: Forms
    shell: Shell

    @property
    def talks(self) -> Talks:
        return self.orders.talks

    async def given(
        self, request: Request, words: Sequence[str], back: Back, chat: str = ""
    ) -> Response:
        """Carries out a command, and shows its answer with a way back."""
        name, *rest = words
        number = await self.orders.chat(request, chat)
        return await self.answered(
            request, await self.orders.give(request, name, rest, number), back
        )

    async def answered(
        self, request: Request, answer: OrderAnswer, back: Back, undo: Return | None = None
    ) -> Response:
        return await self.shell.page(
            request,
            "answered.html",
            here="more",
            title=back.name,
            answer=answer,
            back=back,
            undo=undo,
        )

    async def asked(self, request: Request, question: Question, back: Back) -> Response:
        return await self.shell.page(
            request, "sure.html", here="more", title=question.title, question=question, back=back
        )
