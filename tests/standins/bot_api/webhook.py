"""Delivering updates to the bot's webhook, as the real service does."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

import httpx

from tests.patience import PATIENCE
from tests.standins.bot_api.pulse import Clock, Pulse
from tests.standins.bot_api.update_queue import UpdateQueue, Waiting

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
_SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"


@dataclass(frozen=True)
class Webhook:
    """What setWebhook asked for; `connections` is how many calls may be under way."""

    url: str
    secret: str = ""
    connections: int = 40


@dataclass(frozen=True)
class Delivery:
    """One call of the webhook; `status` is None where no answer came."""

    update_id: int
    status: int | None


@dataclass
class _Failures:
    """What the service remembers of failed calls since the webhook was set."""

    at: int | None = None
    words: str = ""
    pause: float = _FIRST_PAUSE


@dataclass(eq=False)
class Courier:
    """Calls the webhook with one update a chat at a time, and again until it answers 2xx.

    `routes` lead from the public origin of an address to where its proxy would hand calls on.
    """

    updates: UpdateQueue
    pulse: Pulse
    clock: Clock
    webhook: Webhook | None = None
    routes: dict[str, str] = field(default_factory=dict[str, str])
    deliveries: list[Delivery] = field(default_factory=list[Delivery])

    def __post_init__(self) -> None:
        self.failures = _Failures()
        self._calling: set[object] = set()
        self._task: asyncio.Task[None] | None = None

    def switch_to(self, webhook: Webhook | None) -> None:
        """Begin to call this webhook, or none; calls under way to an earlier one are given up."""
        if self._task is not None:
            self._task.cancel()
        self.webhook, self.failures, self._task = webhook, _Failures(), None
        self._calling = set()
        self.updates.set_webhook(webhook.url if webhook else "")
        if webhook is not None:
            self._task = asyncio.create_task(self._run(webhook, self._calling))
        self.pulse.beat()

    def info(self) -> dict[str, object]:
        """What getWebhookInfo tells."""
        told: dict[str, object] = {
            "url": self.updates.webhook_url,
            "has_custom_certificate": False,
            "pending_update_count": len(self.updates.pending),
        }
        if self.webhook is not None:
            told["max_connections"] = self.webhook.connections
        if self.failures.at is not None:
            told["last_error_date"] = self.failures.at
            told["last_error_message"] = self.failures.words
        return told

    async def _run(self, webhook: Webhook, calling: set[object]) -> None:
        def free(waiting: Waiting) -> bool:
            return len(calling) < webhook.connections and _line(waiting) not in calling

        async with (
            httpx.AsyncClient(verify=False, trust_env=False, timeout=PATIENCE) as client,
            asyncio.TaskGroup() as group,
        ):
            while True:
                waiting = await self._next(free)
                calling.add(_line(waiting))
                group.create_task(self._call(client, webhook, waiting, calling))

    async def _next(self, free: Callable[[Waiting], bool]) -> Waiting:
        found = await self.pulse.until(lambda: self.updates.next_for(free), None)
        assert found is not None
        return found

    async def _call(
        self, client: httpx.AsyncClient, webhook: Webhook, waiting: Waiting, calling: set[object]
    ) -> None:
        status, fault = await self._post(client, webhook, waiting)
        self.deliveries.append(Delivery(waiting.id, status))
        if status is not None and 200 <= status <= 299:
            self.failures.pause = _FIRST_PAUSE
            self.updates.delivered(waiting)
        else:
            self.failures.at = int(self.clock.now())
            self.failures.words = fault
            pause = self.failures.pause
            self.failures.pause = min(2 * pause, _LONGEST_PAUSE)
            self.pulse.beat()
            await asyncio.sleep(pause)
        calling.discard(_line(waiting))
        self.pulse.beat()

    async def _post(
        self, client: httpx.AsyncClient, webhook: Webhook, waiting: Waiting
    ) -> tuple[int | None, str]:
        """The status of one call, with the words the service would remember of a failed one."""
        parts = urlsplit(webhook.url)
        route = self.routes.get(f"{parts.scheme}://{parts.netloc}")
        if route is None:
            return None, "Failed to resolve host: Name or service not known"
        local = urlsplit(route)
        url = urlunsplit((local.scheme, local.netloc, parts.path or "/", "", ""))
        headers = {"Content-Type": "application/json"}
        if webhook.secret:
            headers[_SECRET_HEADER] = webhook.secret
        # Escaped, so that a lone surrogate of a hostile update can travel at all.
        content = json.dumps(waiting.body).encode()
        try:
            response = await client.post(url, content=content, headers=headers)
        except httpx.HTTPError:
            return None, "Connection refused"
        return response.status_code, (
            f"Wrong response from the webhook: {response.status_code} {response.reason_phrase}"
        )


def _line(waiting: Waiting) -> object:
    """What keeps its order: the messages of one chat, the presses of one person."""
    body = waiting.body if isinstance(waiting.body, dict) else {}
    for kind, content in body.items():
        if not isinstance(content, dict):
            continue
        by = "from" if kind == "callback_query" else "chat"
        return kind == "callback_query", (content.get(by) or {}).get("id")
    return None
