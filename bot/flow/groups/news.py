"""Tells owners, in their private chats, about changes of the bot in other chats."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from bot.domain.change import AskStop, MarkInbound, Show, Write
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain, Presence, PresenceChange
from bot.domain.talk.person import Person
from bot.domain.text.names import brief_name
from bot.domain.value import frozen, replace
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.outbox import Outbox
from bot.ports.people import People


@frozen
class LeaveButton:
    """The meaning of the button that leaves a group."""

    group: str
    """The key of its address."""


LEAVE_BUTTONS = ButtonCodec("v", LeaveButton)

LEAVE = "🚪 Leave it"

MOST_AN_HOUR = 3
"""Messages an hour about one chat; later news replace the text of the last one."""


MOST_OF_STRANGERS = 10
"""Chats an hour of which owners are told what strangers did; one message sums up the others."""


class News:
    """Writes messages to owners; those for an owner without a private chat fail when sent."""

    def __init__(self, people: People, chats: Chats, outbox: Outbox, clock: Clock) -> None:
        self._people = people
        self._chats = chats
        self._outbox = outbox
        self._clock = clock
        self._hour = ""
        self._told: set[str] = set()
        self._counts: Counter[str] = Counter()

    def counted(self, kind: str) -> int:
        """Counts one more event of a kind; returns how many there were in this hour."""
        self._at_this_hour()
        self._counts[kind] += 1
        return self._counts[kind]

    def _at_this_hour(self) -> str:
        """Forgets what was told in an earlier hour."""
        hour = f"{self._clock.now():%Y%m%d%H}"
        if hour != self._hour:
            self._hour, self._told, self._counts = hour, set(), Counter()
        return hour

    async def of_stranger(self, about: Address, text: str, *, leaves: bool = False) -> list[Show]:
        """Returns the messages about an act of a stranger; beyond a bound one sums them up."""
        hour = self._at_this_hour()
        if len(self._told | {about.key}) <= MOST_OF_STRANGERS:
            self._told.add(about.key)
            return await self.of(about, text, leaves=leaves)
        more = self.counted("stranger")
        told = f"{more} more such changes this hour by people I do not know."
        homes, key = await self.homes(about.channel), f"news:strangers:{hour}"
        return [_show(f"{key}:{home}", home, f"{told} The newest: {text}") for home in homes]

    async def of(
        self,
        about: Address,
        text: str,
        *,
        besides: Person | None = None,
        to: Person | None = None,
        leaves: bool = False,
    ) -> list[Show]:
        """Returns the messages to all owners but one, or to one alone; none for an empty text.

        Store them with the change itself. With `leaves` they have a button that leaves the group.
        """
        shows: list[Show] = []
        for home in await self.homes(about.channel, besides=besides, to=to) if text else ():
            keys = _keys(about, home, self._clock.now())
            free = [key for key in keys if await self._outbox.row(key) is None]
            show = _show(free[0] if free else keys[-1], home, text)
            shows.append(_with_leave(show, about) if leaves else show)
        return shows

    async def instead(self, about: Address, text: str) -> list[Show]:
        """Returns new texts for this hour's newest messages about a chat, where there are any."""
        shows: list[Show] = []
        for home in await self.homes(about.channel):
            keys = _keys(about, home, self._clock.now())
            told = [key for key in keys if await self._outbox.row(key) is not None]
            shows.extend((_show(told[-1], home, text),) if told else ())
        return shows

    async def homes(
        self, channel: str, *, besides: Person | None = None, to: Person | None = None
    ) -> list[int]:
        """Returns the owners' private chats on a channel; a person's chat has the same number."""
        homes: list[int] = []
        for key, person in await self._people.accounts():
            where, _, number = key.partition(":")
            meant = person != besides and (to is None or person == to)
            if person.is_owner and where == channel and meant:
                homes.append((await self._chats.at(Address(where, number), private=True)).id)
        return homes


def _keys(about: Address, home: int, now: datetime) -> list[str]:
    return [f"news:{about.key}:{home}:{now:%Y%m%d%H}:{n}" for n in range(MOST_AN_HOUR)]


def _show(key: str, home: int, text: str) -> Show:
    return Show(key, home, Outbound(OutboundKind.NOTICE, (Plain(text),)))


def _with_leave(show: Show, about: Address) -> Show:
    rows = ((LEAVE_BUTTONS.button(LEAVE, LeaveButton(about.key)),),)
    return replace(show, content=replace(show.content, kind=OutboundKind.OPTION, buttons=rows))


def with_title(change: PresenceChange, chats: Sequence[Chat]) -> PresenceChange:
    """Returns a change with the names by which its chats were known, where it tells none."""
    known = ", ".join(dict.fromkeys(chat.title for chat in chats if chat.title))
    return replace(change, title=change.title or known or change.address.key)


def told_of(change: PresenceChange, person: Person | None, ends: Sequence[Write]) -> str:
    """Returns the news of a change: the event, the person behind it, and the work it ended."""
    return f"{_told(change, person)}{_ended(ends)}"


def _told(change: PresenceChange, person: Person | None) -> str:
    if change.by is None:
        return _told_of_nobody(change)
    who = f"{brief_name(change.by.name)} ({change.by.key})"
    if change.kind == "private":
        return f"{who} has blocked me." if _left(change) else f"{who} has unblocked me."
    where = f"the {change.kind} {brief_name(change.title)}"
    if change.before is Presence.GONE:
        return _added(change, f"{who} added me to {where}.", known=person is not None)
    match change.now:
        case Presence.GONE:
            return f"{who} removed me from {where}."
        case Presence.MUTED:
            return f"{who} no longer lets me write in {where}."
        case Presence.ADMIN:
            return f"{who} made me an administrator of {where}. {_SEES}"
        case Presence.MEMBER if change.before is Presence.MUTED:
            return f"{who} lets me write in {where} again."
        case _:
            return f"{who} took back my administrator rights in {where}."


def _told_of_nobody(change: PresenceChange) -> str:
    where = brief_name(change.title)
    if change.kind == "server":
        return _added(change, f"I am in the server {where} now.", known=False)
    match change.before, change.now:
        case _, Presence.GONE:
            return f"I am no longer in {where}."
        case _, Presence.MUTED:
            return f"I can no longer write in {where}. I read there as before."
        case Presence.MUTED, _:
            return f"I can write in {where} again."
        case _:
            return f"I am in {where} again. {_ANSWERING}"


def told_to_doer(change: PresenceChange, ends: Sequence[Write]) -> str:
    """Returns what a change means, for the owner who made it; empty where it means no news."""
    where, ended = f"the {change.kind} {brief_name(change.title)}", _ended(ends)
    if change.before is Presence.GONE:
        return _added(change, f"I am in {where} now.", known=True)
    if change.now is Presence.ADMIN:
        return f"I am an administrator of {where} now. {_SEES}"
    gone = change.now is Presence.GONE
    return f"I {'am no longer in' if gone else 'can do less in'} {where}.{ended}" if ended else ""


_ANSWERING = (
    "I answer there when somebody whom you let in mentions me or replies to me. "
    "To let somebody in, reply to their message with /allow."
)
_UNKNOWN = "I do not know who added me. If you do not want this, let me leave."
_SEES = (
    "So I now receive everything that is said there. I drop what is not said to me, unless "
    "/context is on."
)


def _added(change: PresenceChange, told: str, *, known: bool) -> str:
    parts = [told]
    if change.kind == "channel":
        parts.append("I do nothing in channels.")
    else:
        parts.append(_ANSWERING)
    if change.now is Presence.MUTED:
        parts.append("I cannot write there.")
    if change.now is Presence.ADMIN and change.kind == "group":
        parts.append(f"I am an administrator there. {_SEES}")
    if not known:
        parts.append(_UNKNOWN)
    return " ".join(parts)


def may_leave(change: PresenceChange) -> bool:
    """Tells if owners are offered to leave: the bot was added, and not by one of them."""
    return change.before is Presence.GONE and change.kind != "private" and not _left(change)


def _left(change: PresenceChange) -> bool:
    return change.now is Presence.GONE


def _ended(ends: Sequence[Write]) -> str:
    turns = sum(isinstance(write, AskStop) for write in ends)
    waiting = sum(isinstance(write, MarkInbound) for write in ends)
    counted = ((turns, "request"), (waiting, "waiting message"))
    parts = [f"{n} {what}{'' if n == 1 else 's'}" for n, what in counted if n]
    return f" Ended there: {', '.join(parts)}." if parts else ""
