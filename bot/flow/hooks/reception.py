"""Receives calls of other programs: checks each, and writes it down with its turn."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain.assignments.hook import KEY_KEPT, LONGEST_KEY, Hook, HookCall, HookPace
from bot.domain.assignments.hook_proof import id_of, key_of, seal_of
from bot.domain.assignments.hook_words import read_json
from bot.domain.change import AddHookCall, Change, Write
from bot.domain.talk.errors import Conflict, Crowded, NoSuchChat
from bot.domain.value import frozen
from bot.flow.hooks.places import HookPlaces, Unplaced
from bot.flow.hooks.proving import Proving
from bot.flow.hooks.runs import Accepted, CallSigns, called, queued
from bot.ports.clock import Clock
from bot.ports.hook_service import Refusal, Refused
from bot.ports.hooks import HookCalls
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)
_REPEATED = (
    "A call with this signature came within a day. Put something into the body that changes, such "
    "as the time."
)
_LONG_KEY = f"The key of a call has at most {LONGEST_KEY} characters."


@frozen
class Reception:
    """Takes calls; a StoreError means that nothing was stored."""

    _proving: Proving
    _calls: HookCalls
    _places: HookPlaces
    _journal: Journal
    _clock: Clock

    async def take(self, name: str, headers: Mapping[str, str], body: bytes) -> Accepted | Refused:
        """Stores a call with its turn, unless it came before or a bound is reached."""
        hook = self._proving.proven(name, headers, body)
        if hook is None:
            return Refused(Refusal.UNKNOWN)
        key, now = key_of(hook, headers), self._clock.now()
        if len(key) > LONGEST_KEY or not key.isprintable():
            return Refused(Refusal.UNREADABLE, _LONG_KEY)
        sign = CallSigns(key, id_of(hook, headers, body), seal_of(hook, headers, body))
        known = await self._known(hook.name, sign, now - KEY_KEPT)
        return known or await self._bounded(hook, sign, body)

    async def _known(
        self, hook: str, sign: CallSigns, since: datetime
    ) -> Accepted | Refused | None:
        """Returns the call that came before with this key or this stamp, or refuses a recording.

        A recording has a signature that came before, here or at a hook with the same secret. Its
        key is not signed, so it may name any.
        """
        found = await self._calls.keyed(hook, sign.key, since) if sign.key else None
        if found is None and sign.id is not None:
            found = await self._calls.get(hook, sign.id)
        if found is not None:
            return Accepted(found, new=False)
        if sign.seal and await self._calls.sealed(sign.seal, since) is not None:
            return Refused(Refusal.REPEATED, _REPEATED)
        return None

    async def _bounded(self, hook: Hook, sign: CallSigns, body: bytes) -> Accepted | Refused:
        try:
            value = read_json(body)
        except ValueError:
            return Refused(Refusal.UNREADABLE, "The body should be JSON in UTF-8.")
        try:
            person, chat = await self._places.of(hook)
        except (Unplaced, NoSuchChat) as fault:
            _LOG.warning("hook %s cannot run: %s", hook.name, fault)
            return Refused(Refusal.NO_PLACE, "The hook cannot run now.")
        call = called(hook, sign, value, chat, self._clock.now())
        try:
            return await self._stored(call, queued(call, person, chat), hook)
        except Crowded as fault:
            _LOG.warning("a call of the hook %s was not taken: %s", hook.name, fault)
            return Refused(Refusal.TOO_MANY, str(fault), fault.seconds)

    async def _stored(
        self, call: HookCall, turn: Sequence[Write], hook: Hook
    ) -> Accepted | Refused:
        since = call.at - KEY_KEPT
        added = AddHookCall(call, since, HookPace(daily=hook.daily))
        try:
            await self._journal.commit(Change((*turn, added), durable=True))
        except Crowded:
            raise
        except Conflict:
            # The same call came twice at once, and the other one was first.
            known = await self._known(call.hook, CallSigns(call.key, call.id, call.seal), since)
            if known is None:
                raise
            return known
        return Accepted(call, new=True)
