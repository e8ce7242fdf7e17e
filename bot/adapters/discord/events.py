"""Stores the events of the gateway in batches; only then do they count as received."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, TypeAlias
from uuid import uuid4

from bot.adapters.discord.addresses import channel_in
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Event, Session
from bot.adapters.discord.interactions import Interactions
from bot.adapters.discord.known_channels import KnownChannels
from bot.adapters.discord.missed import LEFT_OUT, Missed
from bot.adapters.discord.overtaking import INTERACTION, Overtaking
from bot.adapters.discord.reactions import REACTIONS, may_be_feedback
from bot.adapters.discord.silence import Beginning
from bot.adapters.discord.stays import INVITED, OWN, Stays, places_in
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import RawUpdate, Reached
from bot.domain.value import frozen, replace
from bot.ports.clock import Clock

Accept: TypeAlias = Callable[[Sequence[RawUpdate]], Awaitable[None]]
_MOST_WAITING = 1_000
_BATCH = 200
_RETRY_SECONDS = 1.0
_GATHERING_SECONDS = 0.02
_AGAIN_SECONDS, _LONGEST_AGAIN = 3.0, 60.0
_REST = Event("the rest of what was missed", None, {})
"""Stands in the queue for the chats that could not be asked when the session began."""

_log = logging.getLogger(__name__)


@frozen
class Sources:
    """Holds what all connections to the gateway share."""

    places: KnownChannels
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
        self._again = _AGAIN_SECONDS
        self._overtaking = Overtaking(self._store_one, clock)
        self.began: Callable[[], None] = lambda: None
        """Called when a connection begins to bring events."""

    async def take(self, event: Event) -> None:
        """Puts an event into the queue; waits while the store does not follow."""
        match event.name:
            case "READY":
                self._begin(event.fields)
                self._places.begin(self._shard, event.fields)
            case "RESUMED":
                self._places.go_on(self._shard)
                self.began()
            case name:
                self._places.learn(name, event.fields)
        self._overtaking.watch(event)
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
        self._accept = accept
        try:
            await self._run()
        finally:
            self._overtaking.close()
            if self._asking is not None:
                self._asking.cancel()

    async def _run(self) -> None:
        stored_at = 0.0
        while True:
            batch = [await self._waiting.get()]
            if self._clock.steady() - stored_at < _GATHERING_SECONDS:
                # In a stream of talk one transaction for many costs a fraction of one for each.
                await self._clock.sleep(_GATHERING_SECONDS)
            while len(batch) < _BATCH and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            await self._store(batch)
            for event in batch:
                if event.sequence is not None:
                    self._session.sequence = event.sequence
                self._waiting.task_done()
            stored_at, self._heard_at = self._clock.steady(), self._clock.now()

    async def _store(self, batch: Sequence[Event]) -> None:
        events = [one for event in batch for one in await self._unfolded(event)]
        updates = {
            place: await self._update(one)
            for place, one in enumerate(events)
            if one.name != INTERACTION and self._is_wanted(one)
        }
        # Presses come last: the others may have had to be asked about, and that takes time.
        presses = {
            place: one
            for place, one in enumerate(events)
            if one.name == INTERACTION
            and not await self._overtaking.is_stored(one)
            and self._is_wanted(one)
        }
        updates |= {place: await self._update(one) for place, one in presses.items()}
        if updates:
            stored = [updates[place] for place in sorted(updates)]
            stored[-1] = replace(stored[-1], reached=self._reached(batch))
            await self._accepted(stored)
        for press in presses.values():
            self._interactions.answer(press.fields)

    def _reached(self, batch: Sequence[Event]) -> Reached | None:
        """Returns the position behind a batch; None while more has to be asked about before it."""
        if self._missed.left(self._shard) or self._stays.uncertain:
            return None
        numbers = [event.sequence for event in batch if event.sequence is not None]
        return self._session.reached(numbers[-1] if numbers else self._session.sequence)

    async def _store_one(self, press: Event) -> None:
        if self._is_wanted(press):
            await self._accepted([await self._update(press)])
            self._interactions.answer(press.fields)

    async def _unfolded(self, event: Event) -> Sequence[Event]:
        """Returns the single events that one stands for; a new session for what was missed."""
        before = self._missed.left(self._shard)
        match event.name:
            case "READY":
                found = await self._missed.messages(self._shard, self._heard_at)
            case _REST.name:
                found = [*await self._missed.rest(self._shard), *await self._stays.look()]
            case _:
                found = [*_single(event), *self._stays.note(event)]
        left = self._missed.left(self._shard)
        if left < before or not left:
            self._again = _AGAIN_SECONDS
        if (left or self._stays.doubts) and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask_again(), name="discord missed")
        return found

    async def _ask_again(self) -> None:
        pause, self._again = self._again, min(self._again * 2, _LONGEST_AGAIN)
        await self._clock.sleep(pause)
        await self._waiting.put(_REST)

    async def _accepted(self, updates: Sequence[RawUpdate]) -> None:
        told = ""
        while True:
            try:
                await self._accept(updates)
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
            case name if name == INTERACTION:
                return not self._interactions.helped(fields)
            case "MESSAGE_DELETE" | "MESSAGES_LEFT_OUT":
                return True
            case name if name in OWN:
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
        if event.name in OWN:
            return RawUpdate(_own_key(event), self._told(event))
        place = await self._places.of(event.fields)
        body = json.dumps({"t": event.name, "d": event.data, "place": place})
        if event.name in REACTIONS and event.sequence is not None:
            # It has no number of its own, and a thumb may come, go and come again.
            return RawUpdate(f"reaction:{self._session.id}:{event.sequence}", body)
        return RawUpdate(_key(event, body), body)

    def _told(self, event: Event) -> str:
        fields = event.fields
        if event.name == INVITED:
            title = self._places.title_of((), fields.id("id"), whole=True)
        else:
            numbers = [channel_in(one) for one in places_in(fields)]
            whole = fields.flag("whole")
            title = self._places.title_of(numbers, fields.id("guild_id"), whole=whole)
        return json.dumps({"t": event.name, "d": event.data, "place": {"title": title}})


def _single(event: Event) -> Sequence[Event]:
    """Returns the deletions that one event tells of together."""
    if event.name != "MESSAGE_DELETE_BULK":
        return (event,)
    shared: dict[str, Any] = {k: event.data.get(k) for k in ("channel_id", "guild_id")}
    numbers = event.fields.ids("ids")
    single = replace(event, name="MESSAGE_DELETE")
    return [replace(single, data={**shared, "id": number}) for number in numbers]


def _own_key(event: Event) -> str:
    """Returns the name of an own event; one about places may come twice: the flow knows them."""
    if event.name == INVITED:
        return f"invited:{event.fields.id('id')}:{event.fields.line('joined_at', 40)}"
    return f"places:{uuid4().hex}"


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
    kinds = {"MESSAGE_CREATE": "message", "MESSAGE_DELETE": "deleted", LEFT_OUT: "left"}
    return f"{kinds.get(event.name, 'press')}:{number}"
