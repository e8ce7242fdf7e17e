"""Calls by hand, where a test needs the exact description or bodies no SDK sends."""

from typing import Any

import httpx


async def refusal(raw: httpx.AsyncClient, method: str, **params: Any) -> str:
    """The description of a call that must be refused."""
    answer = (await raw.post(method, json=params)).json()
    assert answer["ok"] is False
    return answer["description"].removeprefix("Bad Request: ")


async def result(raw: httpx.AsyncClient, method: str, **params: Any) -> Any:
    answer = (await raw.post(method, json=params)).json()
    assert answer["ok"], answer
    return answer["result"]
