"""Hears recordings by `/audio/transcriptions` of any server that speaks like OpenAI's."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import httpx2

from bot.adapters.certificates import certificates
from bot.domain.money.model import Usage
from bot.domain.talk.errors import ModelDenied, ModelError, ModelOverloaded, ModelUnreachable
from bot.domain.text.storable import storable
from bot.domain.value import field, frozen
from bot.ports.hearing import Speech

_MOST_ANSWER = 2_000_000
"""Bytes of an answer; an hour of speech is about 60,000."""

_TOKEN_FIELDS = ("input_tokens", "output_tokens")


@frozen
class HearingAccess:
    """The way to an endpoint; `url` goes up to and with `/v1`."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    minute: Decimal | None = None
    """Dollars for a minute of sound."""
    seconds: float = 60.0
    """Seconds that one recording may take to be heard."""


class EndpointHearing:
    """The port `Hearing`; each recording has a connection of its own, as they are rare."""

    def __init__(self, access: HearingAccess) -> None:
        self._access = access

    @property
    def model(self) -> str:
        return f"hear/{self._access.model}"

    @property
    def minute(self) -> Decimal | None:
        return self._access.minute

    async def hear(self, sound: bytes, name: str) -> Speech:
        access = self._access
        headers = {"Authorization": f"Bearer {access.key}"} if access.key else {}
        form = {"model": access.model, "response_format": "json"}
        try:
            async with (
                httpx2.AsyncClient(
                    timeout=access.seconds, headers=headers, verify=certificates()
                ) as client,
                client.stream(
                    "POST",
                    f"{access.url}/audio/transcriptions",
                    data=form,
                    files={"file": (name, sound)},
                ) as response,
            ):
                content = await _content(response)
        except (httpx2.HTTPError, httpx2.InvalidURL):
            # The fault may quote the address, which may hold a password.
            raise ModelUnreachable("the service that hears did not answer") from None
        if response.status_code >= 400:
            raise _refusal(response.status_code)
        return _speech(content)


async def _content(response: httpx2.Response) -> bytes:
    content = b""
    async for part in response.aiter_bytes():
        content += part
        if len(content) > _MOST_ANSWER:
            raise ModelError("the service that hears sent far too much")
    return content


def _refusal(status: int) -> ModelError:
    match status:
        case 401 | 403:
            return ModelDenied("the service that hears refuses the key, STEWARD_HEAR_KEY")
        case 402:
            return ModelDenied("the account of the service that hears is empty")
        case 404:
            return ModelDenied("the service that hears does not know this address or model")
        case 413:
            return ModelError("the recording is too large for the service that hears")
        case 400 | 415 | 422:
            return ModelError("the service that hears cannot read this kind of recording")
        case _:
            return ModelOverloaded("the service that hears takes no more requests for now")


def _speech(content: bytes) -> Speech:
    try:
        told = json.loads(content)
        words = told["text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelError("the answer of the service that hears cannot be read") from None
    if not isinstance(words, str):
        raise ModelError("the answer of the service that hears cannot be read")
    return Speech(storable(words).strip(), _usage(told.get("usage")))


def _usage(told: Any) -> Usage:
    if not isinstance(told, Mapping):
        return Usage()
    counts = (told.get(name) for name in _TOKEN_FIELDS)
    known = (n if isinstance(n, int) and not isinstance(n, bool) else 0 for n in counts)
    return Usage(*(max(0, n) for n in known))
