"""Receives those who come in by the door of the home: terminals, questions, and the doctor."""

import asyncio
import base64
import logging
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.adapters.home_door.door import Door
from bot.adapters.home_door.frames import Frame
from bot.adapters.home_door.visit import Visit
from bot.adapters.system_clock import SystemClock
from bot.adapters.terminal.seats import GRACE_SECONDS, Seats
from bot.adapters.terminal.update import (
    ADDRESS,
    NAME,
    Writer,
    address_in,
    free_address_in,
    name_of,
    read_update,
    shared,
)
from bot.bootstrap.channel_form import Accept, Host
from bot.bootstrap.chat_view import ChatView
from bot.bootstrap.named_rules import NamedRules
from bot.bootstrap.welcome import welcome
from bot.domain.talk.errors import ChannelError, SettingError, StoreError
from bot.domain.talk.message import Address, InboundMessage, Press, RawUpdate
from bot.domain.talk.person import ON_NO_PLATFORM, Sender
from bot.domain.text.names import plain_name
from bot.domain.text.storable import storable
from bot.domain.value import frozen, replace
from bot.settings import Settings
from bot.shipped.version import running_version
from bot.visits.own_folder import may_be_project

_QUESTION = re.compile(r"ask-[0-9a-f]{12}")
_CHAT = re.compile(r"local(-[0-9]{1,4})?")
_LONGEST_NAME = 200
_MOST_PIPED = 20 * 1024 * 1024
"""Bytes of the text that one question may have beside it."""

_LOOKS, _LOOK_EVERY = 100, 0.02
"""Looks for a message that was just shown, and the seconds between two."""

_FOREIGN = "it is no update of this visit"
_OWN = "Another terminal is open here already, so this one has its own conversation: {name}."
_BOTH = "What you write here is shown in {title} too, and what you write there is shown here."
_SHOWN = "Another terminal shows that chat already. Close it, then try again."
_LOG = logging.getLogger(__name__)

_STARTED = datetime.now(UTC)


class Reception:
    """Gives each visitor its seat, takes its updates, and tells it what it asks."""

    def __init__(self, settings: Settings, seats: Seats, host: Host, accept: Accept) -> None:
        self._settings = settings
        self._seats = seats
        self._host = host
        self._accept = accept
        self._aside: set[asyncio.Task[None]] = set()

    async def keep_open(self) -> None:
        """Keeps the door open until cancelled."""
        door = Door(self._settings.home, running_version(), self.receive)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(door.keep_open(), name="door")
                group.create_task(self._forget_old_questions(), name="old questions")
        finally:
            for task in self._aside:
                task.cancel()

    async def _forget_old_questions(self) -> None:
        """Gives up answers to questions from before the start that nobody came back for."""
        await asyncio.sleep(GRACE_SECONDS + 1)
        await self._host.deliver_owed()

    async def receive(self, visit: Visit) -> None:
        """Looks after one visitor until it leaves."""
        try:
            await self._received(visit)
        except StoreError as fault:
            await visit.refuse(f"The running Steward cannot answer now: {fault}.")
        except (ValueError, TypeError, OverflowError):
            _LOG.warning("a visitor sent what is no frame of ours")

    async def _received(self, visit: Visit) -> None:
        match visit.hello.get("role"):
            case "look":
                visit.say({"do": "welcome", **await self._state()})
                async for _ in visit.frames():
                    pass
            case "chat" if visit.hello.get("with"):
                await self._shared(visit, _Person.of(visit.hello))
            case "chat":
                await self._talked(visit, _Person.of(visit.hello))
            case "ask":
                await self._asked(visit, _Person.of(visit.hello))
            case _:
                await visit.refuse("The running Steward does not know this kind of request.")

    async def _state(self) -> dict[str, Any]:
        """Returns what the doctor wants to know of a program that runs."""
        heard = {name: await self._host.heard_until(name) for name in self._host.serves}
        return {
            "version": running_version(),
            "pid": os.getpid(),
            "since": _STARTED.isoformat(),
            "heard": {name: at.isoformat() for name, at in heard.items() if at is not None},
            "serves": [name for name in self._host.serves if name not in ON_NO_PLATFORM],
        }

    async def _talked(self, visit: Visit, person: "_Person") -> None:
        await self._host.admit_owner(person.sender)
        wish, folder = str(visit.hello.get("chat", "")), self._folder(visit.hello)
        address = address_in(folder, wish)
        if not _CHAT.fullmatch(wish) or address in self._seats.taken:
            address = free_address_in(folder, self._seats.taken)
        self._seats.reserve(address)
        try:
            name = name_of(address)
            own = "" if name == ADDRESS.chat else _OWN.format(name=name)
            words = await welcome(self._settings, self._host, address)
            said = {"do": "welcome", "address": address.key, "chat": name, "remark": own}
            visit.say({**said, **words})
            await self._seated(visit, address, person)
        finally:
            self._seats.leave(address, visit)

    async def _shared(self, visit: Visit, person: "_Person") -> None:
        """Lets a visitor into its person's private chat on a platform."""
        await self._host.admit_owner(person.sender)
        try:
            address = await self._host.shared_chats.of(str(visit.hello["with"]), person.sender)
        except SettingError as fault:
            await visit.refuse(str(fault))
            return
        if address in self._seats.taken:
            await visit.refuse(_SHOWN)
            return
        self._seats.reserve(address)
        try:
            view = await self._host.shared_chats.view(address)
            marks = await view.begin(visit.hello.get("since"))
            said = {"do": "welcome", "address": address.key, "chat": address.chat}
            said |= {"with": address.key, "since": marks}
            words = await welcome(self._settings, self._host, address)
            name, title = plain_name(view.person.name), view.title
            about = {
                "beside": f"{title}, the private chat of {name}",
                "folder": await view.folder(),
                "remark": _BOTH.format(title=title),
            }
            visit.say({**said, **words, **about})
            await self._seated(visit, address, person, view)
        finally:
            self._seats.leave(address, visit)

    def _folder(self, hello: Frame) -> Path | None:
        """Returns the folder that a visitor works in; None for the workspace.

        A visitor that knows the settings has decided; for any other one it is where it stands.
        """
        if "project" in hello:
            return Path(str(hello["project"])) if hello["project"] else None
        standing, settings = Path(str(hello.get("standing", ""))), self._settings
        if not standing.is_absolute():
            raise ValueError(standing)
        ours = may_be_project(standing, settings.home, settings.workspace)
        return standing if ours else None

    async def _asked(self, visit: Visit, person: "_Person") -> None:
        wish = str(visit.hello.get("chat", ""))
        address = address_in(self._folder(visit.hello), wish)
        if not _QUESTION.fullmatch(wish) or address in self._seats.taken:
            await visit.refuse("This question has been asked already.")
            return
        await self._host.admit_owner(person.sender)
        try:
            await self._rules(address, person).check(_yes_to(visit.hello))
        except SettingError as fault:
            await visit.refuse(str(fault))
            return
        self._seats.reserve(address)
        done = False
        try:
            visit.say({"do": "welcome", "address": address.key, "chat": wish})
            done = await self._seated(visit, address, person)
        finally:
            self._seats.leave(address, visit)
        if done:
            self._seats.end(address)
        else:
            task = asyncio.create_task(self._deserted(address, person), name="deserted question")
            self._aside.add(task)
            task.add_done_callback(self._aside.discard)

    async def _deserted(self, address: Address, person: "_Person") -> None:
        """Stops a question whose visitor was killed, unless it comes back."""
        await asyncio.sleep(GRACE_SECONDS)
        if address in self._seats.taken:
            return
        self._seats.end(address)
        if not await self._host.record_of(address).complete():
            writer = Writer(person.user, person.name, address.chat)
            await self._accept((writer.message("/stop", SystemClock().now()),))
            await self._host.wake(address)

    async def _seated(
        self, visit: Visit, address: Address, person: "_Person", view: ChatView | None = None
    ) -> bool:
        """Shows what is open, then takes what the visitor sends; True when it said goodbye."""
        self._seats.take(address, visit)
        show = (
            self._show_open(visit, address) if view is None else self._follow(view, visit, address)
        )
        showing = asyncio.create_task(show, name="what is open")
        if view is not None:
            person = replace(person, shares=view.person.name)
        try:
            return await self._served(visit, address, person)
        finally:
            showing.cancel()

    async def _follow(self, view: ChatView, visit: Visit, address: Address) -> None:
        """Shows what stands and comes in the chat; a visitor without that has to come again."""
        try:
            with suppress(ChannelError, StoreError):
                await view.follow(visit, await self._host.open_cards(address))
        finally:
            visit.cut_off()

    async def _show_open(self, visit: Visit, address: Address) -> None:
        """Shows open cards again, ready to be decided, then what was owed meanwhile."""
        # A visitor that left meanwhile sees all that when it comes back.
        with suppress(ChannelError, StoreError):
            for row in await self._host.open_cards(address):
                await visit.edit(row.address, row.message_ids[-1], row.pieces[-1])
            await self._host.wake(address)

    async def _served(self, visit: Visit, address: Address, person: "_Person") -> bool:
        piped = bytearray()
        record = self._host.record_of(address)
        async for frame in visit.frames():
            match frame.get("do"):
                case "update":
                    why = await self._taken(frame, address, person)
                    visit.say({"do": "reply", "n": frame.get("n"), "why": why})
                case "piped":
                    piped += base64.b64decode(str(frame.get("data", "")))
                    if len(piped) > _MOST_PIPED:
                        return False
                    self._seats.pipe(address, bytes(piped))
                case "ask" if frame.get("what") == "covered":
                    rules, data = self._rules(address, person), str(frame.get("data", ""))
                    covered = await rules.cover(data, _yes_to(visit.hello))
                    visit.say({"do": "reply", "n": frame.get("n"), "value": covered})
                case "ask":
                    value = await _told(record, frame)
                    visit.say({"do": "reply", "n": frame.get("n"), **value})
                case "bye":
                    return True
                case _:
                    return False
        return False

    async def _await_message(self, address: Address, read: InboundMessage | Press) -> None:
        """Waits until the message that is answered is stored as shown: a visitor may be faster."""
        about = read.message_id if isinstance(read, Press) else read.quote and read.quote.message_id
        record = self._host.record_of(address)
        for _ in range(_LOOKS if about else 0):
            if await record.knows(about or ""):
                return
            await asyncio.sleep(_LOOK_EVERY)

    def _rules(self, address: Address, person: "_Person") -> NamedRules:
        documents = self._settings.policy.documents
        return self._host.rules_at(documents, address, person.sender)

    async def _taken(self, frame: Frame, address: Address, person: "_Person") -> str:
        """Has an update stored; returns why it was not, empty where it was."""
        update = RawUpdate(str(frame.get("key", ""))[:64], str(frame.get("body", "")))
        read = read_update(update.body)
        if not isinstance(read, InboundMessage | Press):
            return _FOREIGN
        if read.address != Address(NAME, address.chat) or read.sender.user_id != person.user:
            return _FOREIGN
        if address.channel != NAME:
            update = shared(update, address, person.shares)
        try:
            await self._await_message(address, read)
            await self._accept((update,))
        except StoreError as fault:
            return str(fault) or type(fault).__name__
        return ""


@frozen
class _Person:
    """The account of a visitor: the door has checked that it is a user's own process."""

    user: str
    name: str
    shares: str = ""
    """The name of the person whose private chat on a platform the visitor shows."""

    @classmethod
    def of(cls, hello: Frame) -> "_Person":
        user, name = (storable(str(hello.get(key, "")))[:_LONGEST_NAME] for key in ("user", "name"))
        return cls(user or "local", name or user or "local")

    @property
    def sender(self) -> Sender:
        return Sender(NAME, self.user, self.name)


def _yes_to(hello: Frame) -> Sequence[str]:
    """Returns the names of the rules by which cards of a question are approved."""
    return [str(name) for name in hello.get("yes_to", ())]


async def _told(record: Any, frame: Frame) -> dict[str, Any]:
    """Returns the answer to a visitor's question about its chat."""
    try:
        match frame.get("what"):
            case "over":
                return {"value": await record.complete()}
            case "report":
                return {"value": await record.report()}
            case _:
                return {"why": "nobody knows that"}
    except StoreError as fault:
        return {"why": str(fault) or type(fault).__name__}
