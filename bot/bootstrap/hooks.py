"""The form of the door of hooks, and their folder."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial

from bot.adapters.hook_folder.hook_folder import HookFolder
from bot.adapters.system_clock import SystemClock
from bot.bootstrap.door_form import Inside, Serving
from bot.doctor import Check, Complaint, Finding
from bot.domain.assignments.hook import BrokenHook, Hook
from bot.ports.clock import Clock
from bot.ports.duties import Duty
from bot.settings import Settings
from bot.shipped import shipped

SETTING = "STEWARD_HOOKS_LISTEN"
_LOG = logging.getLogger(__name__)


def hook_folder(
    settings: Settings, clock: Clock, hide: Callable[..., None] = lambda *_: None
) -> HookFolder:
    """Returns the hooks of the home and of the program; the home's win."""
    secrets = {name: secret.get_secret_value() for name, secret in settings.hook_secrets.items()}
    return HookFolder(settings.home / "hooks", shipped("hooks"), secrets, clock, hide)


class HookForm:
    """The door of hooks, on a port of its own or beside Telegram's webhook."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    async def keep_open(self, settings: Settings, inside: Inside) -> None:
        service, port = inside.application.parts.rooms.hooks.service, settings.hooks_listen
        if service is None or port is None or Duty.WEB not in settings.duties:
            return
        # Only a run with hooks loads the door.
        from bot.adapters.hook_door.door import PATH, HookDoor

        async with self._serving(HookDoor(service), PATH, port, SETTING) as number:
            _LOG.info("calls of hooks are awaited on 127.0.0.1:%d", number)
            await asyncio.Event().wait()

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        if settings.hooks_listen is None:
            return ()
        return (Check("hooks", partial(_probe, settings), "See docs/hooks.md.", "warn"),)


def _shared(known: Sequence[Hook | BrokenHook]) -> str:
    """Returns the names of hooks that have the same secret; empty when each has its own."""
    names: dict[str, list[str]] = {}
    for hook in known:
        if isinstance(hook, Hook) and hook.secret:
            names.setdefault(hook.secret, []).append(hook.name)
    return "; ".join(" and ".join(some) for some in names.values() if len(some) > 1)


async def _probe(settings: Settings) -> str:
    """Tells of broken files, and of a port that another program has; raises Complaint."""
    folder = hook_folder(settings, SystemClock())
    await asyncio.to_thread(folder.load)
    known = [one for _, one in sorted(folder.known.items())]
    broken = [str(one) for one in known if isinstance(one, BrokenHook)]
    if broken:
        raise Complaint(
            f"{'; '.join(broken)}.", "Fix the file. The others work without it.", "warn"
        )
    # Only the doctor calls; a run that serves hooks is called.
    from bot.adapters.hook_door.caller import HookCaller

    port = settings.hooks_listen or 0
    taken = await HookCaller(port).taken_by_another()
    if taken:
        told = f"Port {port} of 127.0.0.1 is used by another program."
        raise Complaint(told, f"Change {SETTING}, or end that program.", "fail")
    shared = _shared(known)
    if shared:
        raise Complaint(
            f"{shared} have one secret, so a call of one can be sent to the other.",
            "Give each hook a secret of its own.",
            "warn",
        )
    ready = sum(isinstance(one, Hook) and bool(one.secret) for one in known)
    off = len(known) - ready
    return f"{ready} {'is' if ready == 1 else 'are'} ready, {off} without a secret; port {port}."
