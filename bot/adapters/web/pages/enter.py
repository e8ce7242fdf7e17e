"""The way in: a code is spent by a press, since previews of links only fetch."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.adapters.web.gate import ENTER
from bot.adapters.web.posted import Forms, text_of
from bot.adapters.web.shell import Shell, visitor_of
from bot.adapters.web.sign_in import SignIn
from bot.domain.talk.session import CODE_MINUTES

_VOID = (
    f"This code is no longer good. A code works once, and for {CODE_MINUTES} minutes. "
    "`steward login` makes a new one, and so does /login in a private chat with me."
)
_CROWDED = "Many wrong codes came just now. This one was wrong, too. Wait a minute, then try again."


def routes(people: SignIn, forms: Forms, shell: Shell) -> Sequence[Route]:
    async def look(request: Request) -> Response:
        # The code stands behind # in the link, so neither servers nor previews ever get it.
        if request.state.visitor is not None:
            return RedirectResponse("/", 303)
        return HTMLResponse(await shell.part(request, "enter.html", fault=""))

    async def enter(request: Request) -> Response:
        code = text_of(await forms.of_stranger(request), "code")
        cookie = await people.enter(code, request.headers.get("user-agent", ""))
        if not cookie:
            fault, status = (_CROWDED, 429) if people.crowded else (_VOID, 403)
            return HTMLResponse(await shell.part(request, "enter.html", fault=fault), status)
        return RedirectResponse("/", 303, {"set-cookie": cookie})

    async def sessions(request: Request) -> Response:
        found = await people.of(visitor_of(request))
        return await shell.page(
            request, "sessions.html", here="more", title="Browsers", sessions=found
        )

    async def end(request: Request) -> Response:
        visitor = visitor_of(request)
        async with forms.of(request) as form:
            everything, named = text_of(form, "all") == "1", text_of(form, "session")
        if everything or named:
            await people.end(visitor, None if everything else named)
        return RedirectResponse("/sessions", 303)

    async def leave(request: Request) -> Response:
        async with forms.of(request):
            cookie = await people.leave(visitor_of(request))
        # Drafts are kept on the device for this person alone.
        headers = {"set-cookie": cookie, "clear-site-data": '"storage"'}
        return RedirectResponse(ENTER, 303, headers)

    return [
        Route(ENTER, look),
        Route(ENTER, enter, methods=["POST"]),
        Route("/sessions", sessions),
        Route("/sessions/end", end, methods=["POST"]),
        Route("/leave", leave, methods=["POST"]),
    ]
