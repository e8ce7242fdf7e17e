"""Finds the private chat of a platform that a terminal may show: that of the same person."""

from collections.abc import Sequence
from typing import NoReturn

from bot.bootstrap.chat_view import ChatView
from bot.bootstrap.opening import Running
from bot.domain.change import Change, Show
from bot.domain.talk.errors import SettingError
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain
from bot.domain.talk.person import ON_NO_PLATFORM, Person, Sender
from bot.domain.text.markdown import inline_code
from bot.domain.text.names import plain_name
from bot.flow.commanding.choices import choice
from bot.flow.people.linking import TERMINAL, is_open, question_key

_YES = "💻 Yes, it is mine"
_IS_YOURS = (
    "💻 Somebody at the terminal of {user} on my machine wants to read this chat there and to "
    "write in it as you. If that is you, press the button: then the terminal is yours for good, "
    "with its notes, tasks and rules. If not, do nothing: nothing is shown there, and in an hour "
    "the button ends."
)
_ASKED = (
    "I do not know yet if you are {name} in {title}, so I asked there. "
    "Press “{yes}” on the phone, then start this command again."
)
_WHICH = "{who} in {title}. Say which one is yours, as in: steward chat --with {example}"
_UNSERVED = "This Steward does not serve {title}. It serves {served}."
_UNKNOWN = "{who} in {title}. Write to me there first."
_ANOTHERS = "That is the private chat of {name} in {title}. Only {name} can show it in a terminal."

_Accounts = Sequence[tuple[str, Person]]


class SharedChats:
    """Lets the terminal of a person into their own private chat, and into no other one."""

    def __init__(self, running: Running) -> None:
        self._running = running

    async def of(self, wish: str, terminal: Sender) -> Address:
        """Returns the chat that is meant; raises SettingError, perhaps after asking its person.

        A wish is a platform, or a platform with a number or a name as in `telegram:ann`.
        """
        platform, _, who = wish.lower().partition(":")
        title, known = platform.capitalize(), await self._running.store.people.accounts()
        served = [
            one
            for one in self._running.application.parts.world.channels
            if one not in ON_NO_PLATFORM
        ]
        if platform not in served:
            raise SettingError(
                _UNSERVED.format(title=title, served=" and ".join(served) or "no platform")
            )
        there = [one for one in known if one[0].startswith(f"{platform}:") and _is(who, *one)]
        if not there:
            nobody = f"Nobody called {who} has access" if who else "You have no account"
            raise SettingError(_UNKNOWN.format(who=nobody, title=title))
        me = next(person for key, person in known if key == terminal.key)
        mine = [one for one in there if one[1].id == me.id] or there
        owners = [one for one in mine if one[1].is_owner]
        if len(owners) > 1:
            _ask_which(owners, title)
        key, person = owners[0] if owners else mine[0]
        if person.id != me.id:
            mine = (key.partition(":")[0] for key, one in known if one.id == me.id)
            lone = all(channel in ON_NO_PLATFORM for channel in mine)
            if not (lone and owners):
                raise SettingError(_ANOTHERS.format(name=plain_name(person.name), title=title))
            await self._ask(key, terminal)
            asked = _ASKED.format(name=plain_name(person.name), title=title, yes=_YES)
            raise SettingError(asked)
        return Address.from_key(key)

    async def view(self, address: Address) -> ChatView:
        """Returns the view on a private chat."""
        return await ChatView.of(self._running, address)

    async def _ask(self, account: str, terminal: Sender) -> None:
        """Asks a person on the platform if this terminal is theirs, unless it has asked."""
        key = question_key(terminal.key, account)
        asked = await self._running.store.outbox.row(key)
        parts, address = self._running.application.parts, Address.from_key(account)
        if asked is not None and is_open(asked, parts.world.clock.now()):
            return
        chat = await self._running.store.chats.at(address, private=True)
        button = choice(_YES, TERMINAL, terminal.user_id)
        told = _IS_YOURS.format(user=inline_code(terminal.user_id))
        if not button:
            told = f"{told} Instead of a button, send: /{TERMINAL} {terminal.user_id}"
        content = Outbound(OutboundKind.OPTION, (Plain(told, style="line"),), (button,))
        asked = Show(key, chat.id, content, anew=True)
        await parts.way_out.journal.commit(Change((asked,), durable=True))


def _is(who: str, key: str, person: Person) -> bool:
    """Returns True for an account that this number or this name means; nothing means all."""
    number = key.partition(":")[2]
    return not who or who == number or who.casefold() == person.name.casefold()


def _ask_which(owners: _Accounts, title: str) -> NoReturn:
    names = [plain_name(person.name) for _, person in owners]
    alike = len(set(names)) < len(names)
    keys = [key for key, _ in owners]
    who = [f"{name} ({key.partition(':')[2]})" for name, key in zip(names, keys, strict=True)]
    example = keys[0] if alike or " " in names[0] else f"{title.lower()}:{names[0]}"
    told = f"There are several private chats of owners: {', '.join(who)}"
    raise SettingError(_WHICH.format(who=told, title=title, example=example))
