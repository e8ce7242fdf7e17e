"""Makes a sign-in link for the person at this machine, for `steward login`."""

from collections.abc import Callable

from bot.adapters.system_clock import SystemClock
from bot.bootstrap.database import opened_as_it_is
from bot.bootstrap.page import is_taken
from bot.bootstrap.page_address import sign_in_link
from bot.domain.talk.errors import SettingError
from bot.domain.talk.session import CODE_MINUTES
from bot.settings import Settings

_LINK = "Open this link in a browser. It signs you in, once, within {minutes} minutes:\n{link}"
_OFF = "STEWARD_WEB_PORT is 0, so there is no page. Set a port, and start Steward again."
_SILENT = "Nothing answers on port {port} now: start Steward, and open the link then."


async def linked(settings: Settings, say: Callable[[str], None]) -> int:
    """Prints a link; the running program finds the code in the store."""
    if not settings.page.port:
        raise SettingError(_OFF)
    async with opened_as_it_is(settings) as store:
        link = await sign_in_link(settings, store.sessions, SystemClock())
    say(_LINK.format(link=link, minutes=CODE_MINUTES))
    if not is_taken(settings.page.port):
        say(_SILENT.format(port=settings.page.port))
    return 0
