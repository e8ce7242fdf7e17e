"""The command that signs somebody in on the page: a code in the private chat, or the end of all."""

from collections.abc import Sequence

from bot.domain.change import AddAudit
from bot.domain.talk.session import CODE_MINUTES, new_code
from bot.domain.text.names import plain_name
from bot.domain.value import frozen
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.ports.clock import Clock
from bot.ports.sessions import Sessions, SignIns

_OFF = "My page in the browser is off. Set `STEWARD_WEB_PORT` where I run, and start me again."
_PRIVATE = "A sign-in link is for you alone. Send me /login in our private chat."
_LINK = (
    "Open this link in your browser and press Sign in there:\n\n{link}\n\nIt works once, for "
    "{minutes} minutes, and signs you in as {name}: do not pass it on.{here}"
)
_HERE = " The link opens on the machine that I run on."
_ENDED = "Signed out: {count}. /login signs you in again."
_NONE = "You are signed in in no browser. /login makes a link."


@frozen
class LoginCommand:
    """Makes sessions of the person who asks, and ends them; `address` is that of the page."""

    _sign_ins: SignIns
    _sessions: Sessions
    _clock: Clock
    _address: str

    @property
    def table(self) -> Sequence[Command]:
        summary = "sign in on my page in the browser; `/login off` signs all browsers out"
        return (Command("login", summary, self.login, "[off]", Topic.YOU),)

    async def login(self, asked: Invocation) -> Answer:
        if [word.lower() for word in asked.words] == ["off"]:
            return await self.sign_out(asked)
        if not asked.chat.private:
            return Answer(_PRIVATE)
        if self.off:
            return Answer(self.off)
        link, audit = await self.offered(asked, asked.person.id)
        told = _LINK.format(
            link=link, minutes=CODE_MINUTES, name=plain_name(asked.person.name), here=self.here
        )
        return Answer(told, (audit,))

    @property
    def off(self) -> str:
        """Returns a sentence where there is no page."""
        return "" if self._address else _OFF

    @property
    def here(self) -> str:
        """Returns a sentence where links open on this machine alone."""
        return _HERE if "//127.0.0.1" in self._address else ""

    async def offered(self, asked: Invocation, person: int) -> tuple[str, AddAudit]:
        """Returns a link that signs a person in, and its line of the record."""
        now = self._clock.now()
        words, code = new_code(now, person)
        await self._sign_ins.offer(code, now)
        audit = AddAudit(now, asked.chat.id, asked.person.id, "page.offered", code.id, {})
        return f"{self._address}/enter#{words}", audit

    async def is_in(self, person: int) -> bool:
        """Tells if a person is signed in anywhere."""
        return bool(await self._sessions.of(person, self._clock.now()))

    async def sign_out(self, asked: Invocation) -> Answer:
        """Ends every session of the person who asks; their open pages end too."""
        count = await self._sessions.end(asked.person.id)
        return Answer(_ENDED.format(count=count) if count else _NONE)
