"""Calls hooks of the running program, as other programs do."""

import asyncio
import secrets
from typing import Any

import httpx

from bot.domain.assignments.hook import Hook
from bot.domain.assignments.hook_proof import Purpose, proof_headers
from bot.domain.value import frozen
from bot.ports.clock import Clock

_SECONDS = 15.0
_LOOK_SECONDS = 0.5
ADDED_BYTES = 20
"""Blanks that a call has behind its body."""


@frozen
class Called:
    """The answer of the program: its status, and what it said."""

    status: int
    told: dict[str, Any]

    @property
    def sentence(self) -> str:
        return str(self.told.get("error", ""))


class HookCaller:
    """A caller of a port of 127.0.0.1; raises OSError when nobody listens there."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}"

    async def call(self, hook: Hook, body: bytes, key: str, clock: Clock) -> Called:
        """Posts a body to a hook with its proof.

        Blanks behind it, which JSON allows, make it another body each time it is sent.
        """
        body += "".join(secrets.choice(" \t") for _ in range(ADDED_BYTES)).encode()
        proof = proof_headers(hook, body, clock.now())
        headers = {**proof, hook.key_header: key, "content-type": "application/json"}
        return await self._asked("POST", f"/hooks/{hook.name}", headers, body)

    async def ended(self, hook: Hook, id: str, clock: Clock) -> Called:
        """Waits until the state is an end; returns other answers at once."""
        while True:
            proof = proof_headers(hook, id.encode(), clock.now(), Purpose.STATUS)
            found = await self._asked("GET", f"/hooks/{hook.name}/{id}", proof, b"")
            if found.status != 200 or found.told.get("state") in ("done", "failed", "stopped"):
                return found
            await clock.sleep(_LOOK_SECONDS)

    async def taken_by_another(self) -> bool:
        """Returns True when something other than a door of hooks listens on the port."""
        try:
            found = await self._asked("GET", "/hooks/", {}, b"")
        except (ConnectionError, TimeoutError):
            return False
        except OSError:
            return True
        return "error" not in found.told

    async def _asked(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Called:
        try:
            async with (
                asyncio.timeout(_SECONDS),
                httpx.AsyncClient(base_url=self._url, trust_env=False, verify=False) as client,
            ):
                answer = await client.request(method, path, headers=headers, content=body)
        except httpx.ConnectError:
            raise ConnectionRefusedError("nobody listens there") from None
        except httpx.HTTPError as fault:
            raise OSError(str(fault) or type(fault).__name__) from None
        try:
            told = answer.json()
        except ValueError:
            told = {}
        return Called(answer.status_code, told if isinstance(told, dict) else {})
