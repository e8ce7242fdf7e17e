"""The address of a page for owners: to anybody else there is no such page, whatever they ask."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route

from bot.adapters.web.gate import Receive, Scope, Send

_OWNERS = "for_owners"


class OwnersRoute(Route):
    """A route that only owners have: each method of anybody else finds nothing."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"][_OWNERS] = True
        check_owner(Request(scope))
        await super().handle(scope, receive, send)


def check_owner(request: Request) -> None:
    """Raises HTTPException for a page of owners that somebody else asks for.

    It is asked again once a form has come: the person may be no owner any more.
    """
    if getattr(request.state, _OWNERS, False) and not request.state.visitor.person.is_owner:
        raise HTTPException(404)
