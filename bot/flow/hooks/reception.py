"""Receives calls of other programs: checks each, and writes it down with its turn."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain.change import AddHookCall, Change, Write
from bot.domain.errors import Conflict, Crowded, NoSuchChat
from bot.domain.hook import KEY_KEPT, LONGEST_KEY, Hook, HookCall, HookPace
from bot.domain.hook_proof import id_of, key_of
from bot.domain.hook_words import read_json
from bot.flow.hooks.places import HookPlaces, Unplaced
from bot.flow.hooks.proving import Proving
from bot.flow.hooks.runs import Accepted, called, queued
from bot.ports.clock import Clock
from bot.ports.hook_service import Refusal, Refused
from bot.ports.hooks import HookCalls
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)
_LONG_KEY = f"The key of a call has at most {LONGEST_KEY} characters."


class Reception:
    """Takes calls; a StoreError means that nothing was stored."""

    def __init__(
        self,
        proving: Proving,
        calls: HookCalls,
        places: HookPlaces,
        journal: Journal,
        clock: Clock,
    ) -> None:
        self._proving = proving
        self._calls = calls
        self._places = places
        self._journal = journal
        self._clock = clock

    async def take(self, name: str, headers: Mapping[str, str], body: bytes) -> Accepted | Refused:
        """Stores a call with its turn, unless it came before or a bound is reached."""
        hook = self._proving.proven(name, headers, body)
        if hook is None:
            return Refused(Refusal.UNKNOWN)
        key, now = key_of(hook, headers), self._clock.now()
        if len(key) > LONGEST_KEY or not key.isprintable():
            return Refused(Refusal.UNREADABLE, _LONG_KEY)
        id = id_of(hook, headers, body)
        known = await self._known(hook.name, key, now - KEY_KEPT, id)
        if known is not None:
            return Accepted(known, new=False)
        return await self._bounded(hook, key, body, id)

    async def _known(self, hook: str, key: str, since: datetime, id: str | None) -> HookCall | None:
        """Returns the call that came before with this key, or with the same signature."""
        found = await self._calls.keyed(hook, key, since) if key else None
        return found or (await self._calls.get(hook, id) if id is not None else None)

    async def _bounded(
        self, hook: Hook, key: str, body: bytes, id: str | None
    ) -> Accepted | Refused:
        try:
            value = read_json(body)
        except ValueError:
            return Refused(Refusal.UNREADABLE, "The body should be JSON in UTF-8.")
        try:
            person, chat = await self._places.of(hook)
        except (Unplaced, NoSuchChat) as fault:
            _LOG.warning("hook %s cannot run: %s", hook.name, fault)
            return Refused(Refusal.NO_PLACE, "The hook cannot run now.")
        call = called(hook, key, value, chat, self._clock.now(), id)
        try:
            return await self._stored(call, queued(call, person, chat), hook)
        except Crowded as fault:
            _LOG.warning("a call of the hook %s was not taken: %s", hook.name, fault)
            return Refused(Refusal.TOO_MANY, str(fault), fault.seconds)

    async def _stored(self, call: HookCall, turn: Sequence[Write], hook: Hook) -> Accepted:
        since = call.at - KEY_KEPT
        added = AddHookCall(call, since, HookPace(daily=hook.daily))
        try:
            await self._journal.commit(Change((*turn, added), durable=True))
        except Crowded:
            raise
        except Conflict:
            # The same call came twice at once, and the other one was first.
            known = await self._known(call.hook, call.key, since, call.id)
            if known is None:
                raise
            return Accepted(known, new=False)
        return Accepted(call, new=True)
