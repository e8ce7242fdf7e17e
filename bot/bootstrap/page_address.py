"""The link to the page in a browser that signs in the person at this machine."""

from bot.domain.talk.person import AT_THE_MACHINE
from bot.domain.talk.session import new_code
from bot.ports.clock import Clock
from bot.ports.sessions import SignIns
from bot.settings import Settings


async def sign_in_link(settings: Settings, sessions: SignIns, clock: Clock) -> str:
    """Returns a link that signs in the person at this machine.

    The code stands behind #, so no server and no preview gets it with the address.
    """
    # Only a run with a page needs the account.
    from bot.adapters.terminal.account import account

    user, name = account()
    words, code = new_code(clock.now(), account=f"{AT_THE_MACHINE}:{user}", name=name)
    await sessions.offer(code, clock.now())
    return f"{settings.page.address}/enter#{words}"
