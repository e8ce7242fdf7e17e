"""Voice messages in the running program, between the stand-ins."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import text
from tests.standins.serving import serving
from tests.standins.transcriptions import Transcriptions

KEY = "hear-e2e-a-key-nobody-may-ever-see"
QUOTED = "🎤 “buy milk”"


@pytest.fixture
async def ears(steward: Steward) -> AsyncIterator[Transcriptions]:
    service = Transcriptions(api_key=KEY)
    async with serving(service.app) as url:
        steward.settings |= {
            "STEWARD_HEAR_URL": f"{url}/v1",
            "STEWARD_HEAR_KEY": KEY,
            "STEWARD_HEAR_PRICE": "0.006",
        }
        yield service
        assert KEY not in steward.output
        for path in steward.home.rglob("*"):
            if path.is_file():
                assert KEY.encode() not in path.read_bytes()


async def test_a_voice_message_is_heard_quoted_and_answered(
    steward: Steward, ears: Transcriptions
) -> None:
    steward.script(text("Noted."))
    await steward.start()
    steward.telegram.send_voice(steward.ann, b"OggS-sound", seconds=30)
    await steward.sees("Noted.")
    await steward.sees(QUOTED)
    assert ears.heard == [("voice.ogg", b"OggS-sound")]
    assert ears.refusals == []
    assert "it says:]\nbuy milk" in words_in(steward.model.requests[0])
    costs = steward.records.rows("SELECT cost FROM usage WHERE kind = 'hearing'")
    assert costs == [(3_000_000,)]
    steward.say("/usage")
    await steward.sees("hear/whisper-1")


async def test_a_kill_while_it_is_heard_quotes_it_once(
    steward: Steward, ears: Transcriptions
) -> None:
    ears.gate = asyncio.Event()
    steward.script(text("Noted."))
    await steward.start()
    steward.telegram.send_voice(steward.ann, b"OggS-sound", seconds=30)
    await asyncio.wait_for(ears.arrived.wait(), 20)
    await steward.kill()
    ears.gate.set()
    await steward.start()
    await steward.sees("Noted.")
    await steward.recorded()
    await steward.restart()
    steward.say("/status")
    await steward.sees("running for")
    assert len(steward.showing(QUOTED)) == 1
    assert len(steward.showing("Noted.")) == 1


async def test_a_refused_key_is_told_to_the_model_in_words(
    steward: Steward, ears: Transcriptions
) -> None:
    ears.api_key = "another"
    steward.foreseen.append("was not heard")
    steward.script(text("I could not hear that."))
    await steward.start()
    steward.telegram.send_voice(steward.ann)
    await steward.sees("I could not hear that.")
    told = words_in(steward.model.requests[0])
    assert "could not be heard: the service that hears refuses the key, STEWARD_HEAR_KEY" in told
    assert steward.records.rows("SELECT cost FROM usage WHERE kind = 'hearing'") == []
