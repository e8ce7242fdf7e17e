"""Updates waiting for the bot, with the confirming offset and the rule of one poller."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.standins.bot_api.pulse import Pulse
from tests.standins.bot_api.refusal import Refusal, conflict, unauthorized

_UNASKED = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
_MAX_LIMIT = 100
_MAX_TIMEOUT = 50
_OTHER_POLLER = (
    "terminated by other getUpdates request; make sure that only one bot instance is running"
)
_WEBHOOK_ACTIVE = (
    "can't use getUpdates method while webhook is active; use deleteWebhook to delete the "
    "webhook first"
)


@dataclass(eq=False)
class Waiting:
    """An update that is not confirmed yet."""

    id: int
    body: Any
    again: bool = False
    delivered: bool = False


@dataclass(eq=False)
class _Poll:
    ended_by: Refusal | None = None


class UpdateQueue:
    """What getUpdates hands out; an update is dropped for good once an offset passes it."""

    def __init__(self, pulse: Pulse, first_id: int) -> None:
        self._pulse = pulse
        self._waiting: list[Waiting] = []
        self._next_id = first_id
        self._allowed: frozenset[str] | None = None
        self._poll: _Poll | None = None
        self.webhook_url = ""
        self.confirmed: int = first_id
        self.brought: list[tuple[int, Any]] = []
        """All updates there have been, with their numbers."""

    @property
    def polling(self) -> bool:
        """Whether a poll is waiting for updates at this moment."""
        return self._poll is not None

    @property
    def pending(self) -> list[Any]:
        return [waiting.body for waiting in self._waiting]

    def skip_ids(self, count: int) -> None:
        """Leave a gap before the next update_id."""
        self._next_id += count

    def add(self, kind: str, content: dict[str, Any]) -> int | None:
        """Queue an update; None if the bot has not asked for its kind."""
        if kind in _UNASKED if self._allowed is None else kind not in self._allowed:
            return None
        return self.push({kind: content})

    def push(self, body: Any, *, again: bool = False) -> int:
        """Queue any JSON value; an object without an update_id gets the next one.

        With `again` it is delivered once even if its id is confirmed already.
        """
        number = self._next_id
        if isinstance(body, dict):
            body = {"update_id": number, **body}
            if isinstance(body["update_id"], int):
                number = body["update_id"]
        self._waiting.append(Waiting(number, body, again))
        self.brought.append((number, body))
        self._next_id = max(self._next_id, number + 1)
        self._pulse.beat()
        return number

    def drop_pending(self) -> None:
        self._waiting.clear()
        self._pulse.beat()

    def next_for(self, webhook: Callable[[Waiting], bool]) -> Waiting | None:
        """The first waiting update that the webhook can take now."""
        return next((waiting for waiting in self._waiting if webhook(waiting)), None)

    def delivered(self, waiting: Waiting) -> None:
        """Drop an update that a webhook has taken."""
        if waiting in self._waiting:
            self._waiting.remove(waiting)
        self.confirmed = max(self.confirmed, waiting.id + 1)
        self._pulse.beat()

    def set_webhook(self, url: str) -> None:
        self.webhook_url = url
        if url:
            self._end_poll(conflict("terminated by setWebhook request"))

    def end_polls(self) -> None:
        """A revoked token ends the poll that is under way."""
        self._end_poll(unauthorized())

    def allow(self, kinds: list[str] | None) -> None:
        """None keeps the earlier choice, an empty list returns to the default."""
        if kinds is not None:
            self._allowed = frozenset(kinds) if kinds else None

    async def get(self, offset: int, limit: int, wait: int) -> list[Any]:
        """Updates from the offset on; waits up to `wait` seconds for the first.

        Another poll ends this one with a conflict.
        """
        if self.webhook_url:
            raise conflict(_WEBHOOK_ACTIVE)
        self._end_poll(conflict(_OTHER_POLLER))
        self._confirm(offset)
        if not self._waiting and wait > 0:
            await self._wait(min(wait, _MAX_TIMEOUT))
        batch = self._waiting[: min(max(limit, 1), _MAX_LIMIT)]
        for waiting in batch:
            waiting.delivered = True
        return [waiting.body for waiting in batch]

    async def _wait(self, seconds: float) -> None:
        poll = self._poll = _Poll()
        self._pulse.beat()
        try:
            await self._pulse.until(lambda: self._waiting or poll.ended_by, seconds)
        except TimeoutError:
            pass
        finally:
            if self._poll is poll:
                self._poll = None
        if poll.ended_by is not None:
            raise poll.ended_by

    def _end_poll(self, reason: Refusal) -> None:
        if self._poll is not None:
            self._poll.ended_by = reason
            self._poll = None
            self._pulse.beat()

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            self._waiting = self._waiting[offset:]
        elif offset > 0:
            self._waiting = [
                waiting
                for waiting in self._waiting
                if waiting.id >= offset or (waiting.again and not waiting.delivered)
            ]
            self.confirmed = max(self.confirmed, offset)
        self._pulse.beat()
