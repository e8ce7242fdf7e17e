"""Ears by an endpoint: what is sent, and what each fault is called."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.adapters.voice.hearing import EndpointHearing, HearingAccess
from bot.domain.money.model import Usage
from bot.domain.talk.errors import ModelDenied, ModelError, ModelOverloaded, ModelUnreachable
from tests.standins.serving import serving
from tests.standins.transcriptions import Transcriptions


@pytest.fixture
async def server() -> AsyncIterator[tuple[Transcriptions, HearingAccess]]:
    service = Transcriptions()
    async with serving(service.app) as url:
        yield service, HearingAccess(f"{url}/v1", "whisper-1", "test-key", seconds=5)


Server = tuple[Transcriptions, HearingAccess]


async def test_words_come_back_for_the_sound_that_was_sent(server: Server) -> None:
    service, access = server
    service.words = " kaufe Milch \x00\n"
    speech = await EndpointHearing(access).hear(b"OggS", "voice.ogg")
    assert speech.words == "kaufe Milch �"
    assert service.heard == [("voice.ogg", b"OggS")]
    assert service.refusals == []


async def test_tokens_are_taken_where_they_are_told(server: Server) -> None:
    service, access = server
    service.body = '{"text": "hi", "usage": {"input_tokens": 5, "output_tokens": true}, "x": 1}'
    speech = await EndpointHearing(access).hear(b"OggS", "voice.ogg")
    assert speech.usage == Usage(5)


@pytest.mark.parametrize(
    ("changed", "name", "sound", "fault"),
    [
        ({"key": "another"}, "voice.ogg", b"OggS", ModelDenied),
        ({"key": ""}, "voice.ogg", b"OggS", ModelDenied),
        ({"model": "no-such"}, "voice.ogg", b"OggS", ModelDenied),
        ({}, "voice.xyz", b"OggS", ModelError),
        ({}, "voice.ogg", b"", ModelError),
        ({}, "voice.ogg", b"0" * (25 * 1024 * 1024 + 1), ModelError),
    ],
)
async def test_refusals_are_told_in_plain_words(
    server: Server, changed: dict[str, str], name: str, sound: bytes, fault: type[ModelError]
) -> None:
    service, access = server
    with pytest.raises(fault) as told:
        await EndpointHearing(replace(access, **changed)).hear(sound, name)
    assert len(service.refusals) == 1
    assert "test-key" not in str(told.value)
    assert "http" not in str(told.value)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_service_may_be_asked_again(server: Server, status: int) -> None:
    service, access = server
    service.statuses = [status]
    with pytest.raises(ModelOverloaded):
        await EndpointHearing(access).hear(b"OggS", "voice.ogg")


@pytest.mark.parametrize("body", ["", "<html>", "[]", "{}", '{"text": 7}', '{"text": "x"', "0"])
async def test_an_answer_that_cannot_be_read_is_a_fault(server: Server, body: str) -> None:
    service, access = server
    service.body = body
    with pytest.raises(ModelError, match="cannot be read"):
        await EndpointHearing(access).hear(b"OggS", "voice.ogg")


async def test_an_endless_answer_is_broken_off(server: Server) -> None:
    service, access = server
    service.body = "x" * 3_000_000
    with pytest.raises(ModelError, match="far too much"):
        await EndpointHearing(access).hear(b"OggS", "voice.ogg")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://user:pass@127.0.0.1:9/v1"])
async def test_a_service_that_is_away_is_told_without_its_address(url: str) -> None:
    with pytest.raises(ModelUnreachable) as told:
        await EndpointHearing(HearingAccess(url, "m", seconds=5)).hear(b"OggS", "voice.ogg")
    assert "127" not in str(told.value)
