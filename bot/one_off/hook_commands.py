"""Hooks at the command line: the list, and a call to try one out."""

import asyncio
import secrets
from collections.abc import Callable

from bot.adapters.hook_door.caller import ADDED_BYTES, HookCaller
from bot.adapters.system_clock import SystemClock
from bot.bootstrap.hooks import SETTING, hook_folder
from bot.domain.assignments.hook import LARGEST_BODY, BrokenHook, Hook
from bot.domain.talk.errors import SettingError
from bot.ports.hooks import HookSet
from bot.settings import Settings
from bot.shipped import command

_FAILED, _REFUSED = 1, 3


async def listed(settings: Settings, say: Callable[[str], None]) -> int:
    """Prints every hook with its state; returns 1 when a file is broken."""
    known = await _known(settings)
    for name, hook in sorted(known.items()):
        if isinstance(hook, BrokenHook):
            say(f"{name}  broken: {hook}")
        else:
            off = "" if hook.secret else f", off: {hook.secret_name} is not set"
            say(f"{name}  for {hook.person}, {hook.proof}, {hook.allowed}{off}")
    if not known:
        say(f"There are no hooks in {settings.home / 'hooks'}.")
    if settings.hooks_listen is None:
        say(f"Calls are not taken: {SETTING} is not set.")
    return int(any(isinstance(hook, BrokenHook) for hook in known.values()))


async def tried(settings: Settings, name: str, body: bytes, say: Callable[[str], None]) -> int:
    """Calls a hook of the running program, and prints the states until the run ends.

    Returns 0 when it is done, 1 when it failed or was stopped, 3 when the call was not taken.
    """
    hook = (await _known(settings)).get(name)
    port = settings.hooks_listen
    if port is None:
        raise SettingError(f"{SETTING} is not set, so no program takes calls.")
    if not isinstance(hook, Hook):
        shows = f"`{command('hook list')}` shows all"
        raise SettingError(str(hook) if hook else f"there is no hook {name}; {shows}")
    if not hook.secret:
        raise SettingError(f"the hook {name} is off: {hook.secret_name} is not set")
    if len(body) > LARGEST_BODY - ADDED_BYTES:
        raise SettingError(f"a body has at most {LARGEST_BODY - ADDED_BYTES:,} bytes here")
    caller, clock = HookCaller(port), SystemClock()
    try:
        taken = await caller.call(hook, body, secrets.token_hex(8), clock)
        if taken.status != 202:
            say(f"Refused with {taken.status}: {taken.sentence}")
            return _REFUSED
        id = str(taken.told["id"])
        say(f"Taken as call {id}: {taken.told['state']}")
        ended = await caller.ended(hook, id, clock)
    except (OSError, TimeoutError) as fault:
        why = fault or "it does not answer"
        say(f"No program takes calls on 127.0.0.1:{port}: {why}. Start Steward, then try again.")
        return _REFUSED
    state = ended.told.get("state", ended.sentence)
    say(f"Call {id}: {state}")
    if answer := ended.told.get("answer"):
        say(str(answer))
    return 0 if state == "done" else _FAILED


async def _known(settings: Settings) -> HookSet:
    folder = hook_folder(settings, SystemClock())
    await asyncio.to_thread(folder.load)
    return folder.known
