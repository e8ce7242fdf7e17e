"""The service that speaks, over HTTP; each fault is told in words without address or key."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from bot.adapters.openai.speaking import EndpointSpeaking, SpeakingAccess
from bot.domain.money.provider import ProviderSpec
from bot.domain.talk.errors import ModelDenied, ModelError, ModelOverloaded, ModelUnreachable
from bot.domain.talk.ogg_opus import seconds_of
from tests.standins.serving import serving
from tests.standins.speech import Speech

KEY = "sk-canary-0123456789"
Server = tuple[Speech, SpeakingAccess]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    service = Speech(api_key=KEY)
    async with serving(service.app) as url:
        spec = ProviderSpec("speak", f"{url}/v1", KEY, key_name="STEWARD_SPEAK_KEY")
        yield service, SpeakingAccess(spec, "tts-1", "alloy", Decimal(15), 10)


async def test_words_become_a_recording(server: Server) -> None:
    service, access = server
    speaking = EndpointSpeaking(access)
    sound = await speaking.speak("Hello, Ann. " * 5)
    assert seconds_of(sound) == 4
    assert service.spoken == ["Hello, Ann. " * 5]
    assert (speaking.model, speaking.price) == ("speak/tts-1", Decimal(15))
    assert service.refusals == []


@pytest.mark.parametrize(
    ("changed", "words", "kind", "told"),
    [
        ({"key": "sk-canary-9876543210"}, "Hi", ModelDenied, "refuses the key, STEWARD_SPEAK_KEY"),
        ({"model": "tts-9"}, "Hi", ModelDenied, "has no model tts-9"),
        ({"voice": "nobody"}, "Hi", ModelError, "does not take this text or this voice"),
        ({}, "x" * 4097, ModelError, "does not take this text or this voice"),
        ({}, " ", ModelError, "does not take this text or this voice"),
    ],
)
async def test_a_refusal_is_told_in_words(
    server: Server, changed: dict[str, Any], words: str, kind: type[ModelError], told: str
) -> None:
    _, access = server
    spec = replace(access.spec, key=changed.pop("key", KEY))
    with pytest.raises(kind, match=told) as raised:
        await EndpointSpeaking(replace(access, spec=spec, **changed)).speak(words)
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize(
    ("status", "kind", "told"),
    [
        (402, ModelDenied, "account of the service that speaks is empty"),
        (429, ModelOverloaded, "takes no more requests for now"),
        (500, ModelOverloaded, "takes no more requests for now"),
        (404, ModelDenied, "is not at this address"),
    ],
)
async def test_a_service_in_trouble_is_told_apart(
    server: Server, status: int, kind: type[ModelError], told: str
) -> None:
    service, access = server
    service.statuses = [status]
    with pytest.raises(kind, match=told):
        await EndpointSpeaking(access).speak("Hi")
    assert service.asked == 1


async def test_a_service_that_is_away_or_silent_is_unreachable(server: Server) -> None:
    service, access = server
    nowhere = replace(access, spec=replace(access.spec, base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(ModelUnreachable, match="did not answer"):
        await EndpointSpeaking(nowhere).speak("Hi")
    service.gate = asyncio.Event()
    with pytest.raises(ModelUnreachable, match="did not answer"):
        await EndpointSpeaking(replace(access, seconds=0.2)).speak("Hi")


async def test_a_recording_without_an_end_is_not_taken(server: Server) -> None:
    service, access = server
    service.sound = b"x" * 2_000
    with pytest.raises(ModelUnreachable):
        await EndpointSpeaking(replace(access, most_bytes=1_000)).speak("Hi")
