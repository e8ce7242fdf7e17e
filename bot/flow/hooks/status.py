"""The part of the status about hooks."""

from collections.abc import Sequence

from bot.domain.assignments.hook import BrokenHook
from bot.flow.commanding.table import Invocation
from bot.flow.hooks.states import status_of
from bot.ports.hooks import HookCalls, Hooks

_LISTED = 10


class TheHooks:
    """Tells owners of the hooks that other programs may call, with the last call of each."""

    title = "Hooks"

    def __init__(self, hooks: Hooks | None, calls: HookCalls) -> None:
        self._hooks = hooks
        self._calls = calls

    async def lines(self, asked: Invocation) -> Sequence[str]:
        if self._hooks is None or not asked.person.is_owner:
            return ()
        known = sorted(self._hooks.known.items())
        last = await self._calls.last([name for name, _ in known[:_LISTED]])
        lines: list[str] = []
        for name, hook in known[:_LISTED]:
            if isinstance(hook, BrokenHook):
                lines.append(f"- {name}: its file cannot be used, see `steward doctor`")
            elif not hook.secret:
                lines.append(f"- {name}: off, `{hook.secret_name}` is not set")
            elif (call := last.get(name)) is None:
                lines.append(f"- {name}: no call yet")
            else:
                at = f"{call.at:%Y-%m-%d %H:%M} UTC"
                lines.append(f"- {name}: last call {at}, {status_of(call).state}")
        more = len(known) - _LISTED
        return (*lines, f"- and {more} more") if more > 0 else lines
