"""Stores the events of the gateway in batches; only then do they count as received."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias
from uuid import uuid4

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Event, Session
from bot.adapters.discord.interactions import Interactions
from bot.adapters.discord.missed import Missed
from bot.adapters.discord.places import Places
from bot.adapters.discord.reactions import REACTIONS, may_be_feedback
from bot.adapters.discord.silence import Beginning
from bot.adapters.discord.stays import BACK, LEFT, Stays, channels_in
from bot.domain.errors import StoreError
from bot.domain.message import RawUpdate
from bot.ports.clock import Clock

Accept: TypeAlias = Callable[[Sequence[RawUpdate]], Awaitable[None]]
_MOST_WAITING = 1_000
_BATCH = 200
_RETRY_SECONDS = 1.0
_GATHERING_SECONDS = 0.02
_AGAIN_SECONDS = 3.0
_REST = Event("the rest of what was missed", None, {})
"""Stands in the queue for the chats that could not be asked when the session began."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sources:
    """Holds what all connections to the gateway share."""

    places: Places
    interactions: Interactions
    missed: Missed
    stays: Stays
    beginning: Beginning


class Events:
    """Takes the events of a shard in their order; `run` stores them, and then answers presses."""

    def __init__(
        self, api: DiscordApi, sources: Sources, shard: int, session: Session, clock: Clock
    ) -> None:
        self._api = api
        self._places = sources.places
        self._interactions = sources.interactions
        self._missed = sources.missed
        self._stays = sources.stays
        self._shard = shard
        self._session = session
        self._clock = clock
        self._heard_at: datetime | None = None
        self._waiting: asyncio.Queue[Event] = asyncio.Queue(_MOST_WAITING)
        self._asking: asyncio.Task[None] | None = None
        self.began: Callable[[], None] = lambda: None
        """Called when a connection begins to bring events."""

    async def take(self, event: Event) -> None:
        """Puts an event into the queue; waits while the store does not follow."""
        match event.name:
            case "READY":
                self._begin(event.fields)
                self._places.begin(self._shard, event.fields)
            case "RESUMED":
                self.began()
            case name:
                self._places.learn(name, event.fields)
        await self._waiting.put(event)

    def _begin(self, ready: Fields) -> None:
        self._session.id = ready.text("session_id") or ""
        self._session.gateway = ready.text("resume_gateway_url") or ""
        self._api.belongs_to(ready.inner("application").id("id"))
        self.began()

    async def settled(self) -> None:
        """Returns once all events that were taken are stored."""
        await self._waiting.join()

    async def run(self, accept: Accept) -> None:
        """Stores events until cancelled."""
        try:
            await self._run(accept)
        finally:
            if self._asking is not None:
                self._asking.cancel()

    async def _run(self, accept: Accept) -> None:
        stored_at = 0.0
        while True:
            batch = [await self._waiting.get()]
            if self._clock.steady() - stored_at < _GATHERING_SECONDS:
                # In a stream of talk one transaction for many costs a fraction of one for each.
                await self._clock.sleep(_GATHERING_SECONDS)
            while len(batch) < _BATCH and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            await self._store(batch, accept)
            for event in batch:
                if event.sequence is not None:
                    self._session.sequence = event.sequence
                self._waiting.task_done()
            stored_at, self._heard_at = self._clock.steady(), self._clock.now()

    async def _store(self, batch: Sequence[Event], accept: Accept) -> None:
        updates: list[RawUpdate] = []
        presses: list[Event] = []
        for event in batch:
            for one in await self._unfolded(event):
                if not self._is_wanted(one):
                    continue
                updates.append(await self._update(one))
                if one.name == "INTERACTION_CREATE":
                    presses.append(one)
        if updates:
            await self._accepted(updates, accept)
        for press in presses:
            self._interactions.answer(press.fields)

    async def _unfolded(self, event: Event) -> Sequence[Event]:
        """Returns the single events that one stands for; a new session for what was missed."""
        match event.name:
            case "READY":
                found = await self._missed.messages(self._shard, self._heard_at)
            case _REST.name:
                found = [*await self._missed.rest(self._shard), *await self._stays.look()]
            case _:
                found = [*_single(event), *self._stays.note(event)]
        owes = self._missed.owes(self._shard) or self._stays.doubts
        if owes and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask_again(), name="discord missed")
        return found

    async def _ask_again(self) -> None:
        await self._clock.sleep(_AGAIN_SECONDS)
        await self._waiting.put(_REST)

    async def _accepted(self, updates: Sequence[RawUpdate], accept: Accept) -> None:
        told = ""
        while True:
            try:
                await accept(updates)
            except StoreError as fault:
                if str(fault) != told:
                    _log.warning("Events of Discord cannot be stored: %s. I keep trying.", fault)
                told = str(fault)
                await self._clock.sleep(_RETRY_SECONDS)
            else:
                return

    def _is_wanted(self, event: Event) -> bool:
        fields = event.fields
        match event.name:
            case "MESSAGE_CREATE":
                return self._is_of_a_person(fields)
            case "MESSAGE_UPDATE":
                # Discord also tells so that it has looked at a link.
                return self._is_of_a_person(fields) and "edited_timestamp" in fields
            case "INTERACTION_CREATE":
                return not self._interactions.helped(fields)
            case "MESSAGE_DELETE":
                return True
            case name if name in (LEFT, BACK):
                return True
            case name if name in REACTIONS:
                return may_be_feedback(fields, self._api.own_id)
            case _:
                return False

    def _is_of_a_person(self, message: Fields) -> bool:
        author, channel = message.inner("author"), message.id("channel_id")
        number = author.id("id")
        if author.flag("bot") or "webhook_id" in message or number == self._api.own_id:
            return False
        if number is not None and channel is not None and "guild_id" not in message:
            self._api.know(number, channel)
        return True

    async def _update(self, event: Event) -> RawUpdate:
        if event.name in (LEFT, BACK):
            # It may be said twice: the flow knows what is known already.
            return RawUpdate(f"places:{uuid4().hex}", self._told(event))
        place = await self._places.of(event.fields)
        body = json.dumps({"t": event.name, "d": event.data, "place": place})
        if event.name in REACTIONS and event.sequence is not None:
            # It has no number of its own, and a thumb may come, go and come again.
            return RawUpdate(f"reaction:{self._session.id}:{event.sequence}", body)
        return RawUpdate(_key(event, body), body)

    def _told(self, event: Event) -> str:
        fields = event.fields
        channels, whole = channels_in(fields), fields.flag("whole")
        title = self._places.title_of(channels, fields.id("guild_id"), whole=whole)
        return json.dumps({"t": event.name, "d": event.data, "place": {"title": title}})


def _single(event: Event) -> Sequence[Event]:
    """Returns the deletions that one event tells of together."""
    if event.name != "MESSAGE_DELETE_BULK":
        return (event,)
    shared: dict[str, Any] = {k: event.data.get(k) for k in ("channel_id", "guild_id")}
    numbers = event.fields.ids("ids")
    single = replace(event, name="MESSAGE_DELETE")
    return [replace(single, data={**shared, "id": number}) for number in numbers]


def _key(event: Event, body: str) -> str:
    """Returns the name of an event by which it is known when it comes again."""
    number = event.fields.id("id")
    if event.name in REACTIONS and (message := event.fields.id("message_id")) is not None:
        # It was found, and is found again after the next gap.
        emoji = event.fields.inner("emoji").line("name", 40)
        return f"thumb:{message}:{event.fields.id('user_id')}:{emoji}"
    if number is None:
        return f"unknown:{hashlib.sha256(body.encode('utf-8', 'replace')).hexdigest()[:32]}"
    if event.name == "MESSAGE_UPDATE":
        return f"edit:{number}:{event.fields.line('edited_timestamp', 40)}"
    kinds = {"MESSAGE_CREATE": "message", "MESSAGE_DELETE": "deleted"}
    return f"{kinds.get(event.name, 'press')}:{number}"
