"""Voice messages in the running program, between the stand-ins."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest

from bot.domain.talk.ogg_opus import seconds_of
from tests.e2e.steward import Steward, words_in
from tests.patience import PATIENCE
from tests.standins.messages_api import text
from tests.standins.serving import serving
from tests.standins.speech import Speech
from tests.standins.transcriptions import Transcriptions
from tests.words import NO_VOICE_HERE, NO_VOICE_TAKEN, TEXT_ALONE, UNHEARD, UNSPOKEN, VOICE_ON

_FLOWS_OWN = pytest.mark.flows_own("the recording has arrived already")

KEY = "hear-e2e-a-key-nobody-may-ever-see"
SPEAK_KEY = "speak-e2e-a-key-nobody-may-ever-see"
QUOTED = "🎤 “buy milk”"
UNOPENED = """CREATE TRIGGER unopened BEFORE INSERT ON entry
BEGIN SELECT RAISE(ABORT, 'the test wants no entry'); END"""


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


@pytest.fixture
async def voice(steward: Steward, ears: Transcriptions) -> AsyncIterator[Speech]:
    """A voice beside the ears; its key is seen nowhere."""
    service = Speech(api_key=SPEAK_KEY)
    async with serving(service.app) as url:
        steward.settings |= {
            "STEWARD_SPEAK_URL": f"{url}/v1",
            "STEWARD_SPEAK_KEY": SPEAK_KEY,
            "STEWARD_SPEAK_PRICE": "15",
        }
        yield service
        assert SPEAK_KEY not in steward.output
        for path in steward.home.rglob("*"):
            if path.is_file():
                assert SPEAK_KEY.encode() not in path.read_bytes()


async def turned_on(steward: Steward) -> None:
    await steward.start()
    steward.say("/voice on")
    await steward.sees(VOICE_ON)


async def spoken(steward: Steward, count: int = 1) -> Any:
    return (await steward.until(lambda: steward.voice_notes[count - 1 :]))[0]


def cost_of_speaking(steward: Steward) -> list[tuple[int, bool]]:
    rows = "SELECT cost, estimated FROM usage WHERE kind = 'speaking' ORDER BY id"
    return [(cost, bool(guessed)) for cost, guessed in steward.records.rows(rows)]


@pytest.mark.shared
async def test_a_voice_message_is_heard_quoted_and_answered(
    steward: Steward, ears: Transcriptions
) -> None:
    steward.script(text("Noted."))
    await steward.start()
    steward.speak(seconds=30)
    await steward.sees("Noted.")
    await steward.sees(QUOTED)
    assert [sound for _, sound in ears.heard] == [b"OggS-sound"]
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
    steward.speak(seconds=30)
    await asyncio.wait_for(ears.arrived.wait(), PATIENCE)
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


@_FLOWS_OWN
async def test_a_refused_key_is_told_to_the_model_in_words(
    steward: Steward, ears: Transcriptions
) -> None:
    ears.api_key = "another"
    steward.foreseen.append("was not heard")
    steward.script(text("I could not hear that."))
    await steward.start()
    steward.speak(seconds=30)
    await steward.sees("I could not hear that.")
    line = await steward.sees(UNHEARD)
    assert "refuses the key, STEWARD_HEAR_KEY. Type it" in line.text
    told = words_in(steward.model.requests[0])
    assert "could not be heard: the service that hears refuses the key, STEWARD_HEAR_KEY" in told
    assert steward.records.rows("SELECT cost FROM usage WHERE kind = 'hearing'") == []


@_FLOWS_OWN
async def test_a_kill_between_hearing_and_the_entry_does_not_hear_again(
    steward: Steward, ears: Transcriptions
) -> None:
    steward.script(text("Noted."))
    await steward.start()
    steward.say("/status")
    await steward.sees("running for")
    with closing(sqlite3.connect(steward.records.path)) as connection:
        connection.execute(UNOPENED)
    steward.speak(seconds=30)
    await steward.eventually(lambda: steward.records.rows("SELECT words FROM hearing"))
    await steward.kill()
    assert steward.records.rows("SELECT count(*) FROM entry") == [(0,)]
    with closing(sqlite3.connect(steward.records.path)) as connection:
        connection.execute("DROP TRIGGER unopened")
    await steward.start()
    await steward.sees("Noted.")
    assert len(steward.showing(QUOTED)) == 1
    assert [sound for _, sound in ears.heard] == [b"OggS-sound"]
    costs = steward.records.rows("SELECT cost FROM usage WHERE kind = 'hearing'")
    assert costs == [(3_000_000,)]


async def test_an_answer_to_a_voice_message_is_spoken_until_voice_off(
    steward: Steward, voice: Speech
) -> None:
    steward.script(text("**Noted**: [milk](https://a.de/b)."), text("Again."), text("In silence."))
    await turned_on(steward)
    steward.speak(seconds=30)
    note = await spoken(steward)
    assert [m.text for m in steward.shown[-3:-1]] == [QUOTED, "Noted: milk."]
    assert steward.shown[-1] == note
    assert note.file is not None
    assert seconds_of(note.file.data) == 1
    assert note.file.traits == {"duration": 1}
    assert note.silent
    assert voice.spoken == ["Noted: milk."]
    assert cost_of_speaking(steward) == [(180_000, False)]
    steward.say("typed")
    await steward.sees("Again.")
    steward.say("/voice off")
    await steward.sees(TEXT_ALONE)
    steward.speak(seconds=30)
    await steward.sees("In silence.")
    steward.say("/usage")
    await steward.sees("speak/tts-1")
    assert len(steward.voice_notes) == 1
    assert voice.refusals == []


async def test_a_kill_while_it_is_spoken_costs_one_more_call_and_sends_one_note(
    steward: Steward, voice: Speech
) -> None:
    voice.gate = asyncio.Event()
    steward.script(text("Noted."))
    await turned_on(steward)
    steward.speak(seconds=30)
    await steward.sees("Noted.")
    await asyncio.wait_for(voice.arrived.wait(), PATIENCE)
    await steward.kill()
    voice.gate.set()
    await steward.start()
    await spoken(steward)
    await steward.recorded()
    assert voice.asked == 2
    assert len(steward.voice_notes) == 1
    assert len(steward.showing("Noted.")) == 1
    assert cost_of_speaking(steward) == [(90_000, False)]


async def test_a_kill_between_the_answer_and_its_delivery_speaks_and_pays_once(
    steward: Steward, voice: Speech
) -> None:
    steward.script(text("Noted."))
    await turned_on(steward)
    sending = steward.way.hold_voice()
    steward.speak(seconds=30)
    await sending.arrived()
    await steward.restart()
    await spoken(steward)
    await steward.recorded()
    assert voice.asked == 1
    assert len(steward.voice_notes) == 1
    assert cost_of_speaking(steward) == [(90_000, False)]


@_FLOWS_OWN
async def test_a_voice_that_is_away_or_too_dear_leaves_the_text_alone(
    steward: Steward, voice: Speech
) -> None:
    voice.statuses = [503, 503, 503, 503]
    steward.foreseen.append("was not spoken")
    steward.script(text("One."), text("Two."), text("Three."))
    await turned_on(steward)
    for count, answer in enumerate(("One.", "Two."), 1):
        steward.speak(seconds=30)
        await steward.sees(answer)
        wanted = 2 * count
        await steward.eventually(lambda most=wanted: voice.asked == most)
    told = await steward.sees(UNSPOKEN)
    assert "the service that speaks takes no more requests for now" in told.text
    await steward.eventually(lambda: not steward.records.rows("SELECT turn FROM voice_note"))
    assert len(steward.showing(UNSPOKEN)) == 1
    await steward.restart(STEWARD_SPEAK_PRICE="999999", STEWARD_BUDGET_DAY="5")
    steward.speak(seconds=30)
    await steward.sees("Three.")
    told = await steward.sees(UNSPOKEN, times=2)
    assert "today's budget of $5.00 for everybody does not allow it" in told.text
    assert (voice.asked, steward.voice_notes, cost_of_speaking(steward)) == (4, [], [])


@pytest.mark.telegrams_own("people there can refuse voice notes; on Discord a file comes instead")
async def test_a_person_who_takes_no_voice_notes_is_told_once(
    steward: Steward, voice: Speech
) -> None:
    steward.telegram.private_chat(steward.ann).voiceless = True
    steward.foreseen += ["VOICE_MESSAGES_FORBIDDEN", "takes no voice messages from me"]
    steward.script(text("One."), text("Two."))
    await turned_on(steward)
    steward.speak(seconds=30)
    await steward.sees("One.")
    told = await steward.sees(NO_VOICE_TAKEN)
    assert NO_VOICE_HERE in told.text
    steward.speak(seconds=30)
    await steward.sees("Two.")
    assert voice.asked == 1
    assert len(steward.showing(NO_VOICE_TAKEN)) == 1
