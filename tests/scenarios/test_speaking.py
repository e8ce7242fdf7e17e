"""Spoken answers: after the text, paid for, once; and what is said where they fail."""

from datetime import timedelta
from decimal import Decimal

import pytest

from bot.domain.money.budget import CallKind
from bot.domain.money.money import nano_of
from bot.domain.talk.errors import ContentRefused, ModelDenied, ModelError, ModelUnreachable
from bot.domain.talk.message import Attachment
from tests.fakes.channel import Shown
from tests.fakes.hearing import FakeHearing
from tests.fakes.model import Gate, Step, call, calls, says
from tests.fakes.speaking import FakeSpeaking
from tests.scenarios.stage import BOB, HOME, Stage, stage
from tests.scenarios.team import PEOPLE, TEAM, Group
from tests.scenarios.tools import looking
from tests.words import NO_VOICE_HERE, NO_VOICE_TAKEN, TEXT_ALONE, UNSPOKEN, VOICE_ON

OWN = Attachment("voice", "voice.ogg", 4, "V", seconds=30, recorded=True)
QUOTED = "🎤 “buy milk”"


async def with_voice(scene: Stage, *, on: bool = True) -> FakeSpeaking:
    """Sets ears and a voice up, and turns spoken answers on."""
    scene.files.stored["V"] = b"OggS"
    scene.hearing = FakeHearing({b"OggS": "buy milk"})
    scene.speaking = FakeSpeaking()
    await scene.crash()
    if on:
        await scene.say("/voice on")
        await scene.shows(VOICE_ON)
    return scene.speaking


def notes(scene: Stage) -> list[Shown]:
    """The voice notes on the screen."""
    shown = scene.channel.screen.values()
    return [one for one in shown if str(one.piece.body.get("file", "")).startswith("/sounds/")]


async def spoken(scene: Stage, count: int = 1) -> Shown:
    return (await scene.until(lambda: notes(scene)[count - 1 :]))[0]


async def quiet(scene: Stage) -> None:
    """Waits until no voice note is owed any more."""
    await scene.until(lambda: not scene.store.rows.voice_notes)
    await scene.application.parts.way_out.delivery.flushed()


async def test_the_answer_to_a_voice_message_comes_as_text_and_then_as_voice_note() -> None:
    async with stage(says("**Noted**: [milk](https://a.de/b).")) as scene:
        speaking = await with_voice(scene)
        await scene.say("", attachments=[OWN])
        note = await spoken(scene)
        order = [QUOTED, "**Noted**: [milk](https://a.de/b).", ""]
        assert scene.texts[-3:] == order
        assert note.text == ""
        await quiet(scene)
    assert speaking.spoken == ["Noted: milk."]
    (line,) = [u for u in scene.store.rows.usage.values() if u.model == "speak/fake"]
    assert line.cause.kind is CallKind.SPEAKING
    assert (line.cause.turn, line.cause.person) == (scene.turns[0].id, 1)
    assert line.cost == nano_of(Decimal("15") * 12 / 1_000_000)
    row = next(r for r in scene.store.rows.outbox.values() if r.key.startswith("voice:"))
    assert row.content.silent
    assert row.content.files[0].voice == 1


async def test_the_text_is_settled_and_sent_before_anybody_speaks() -> None:
    async with stage(says("Noted."), says("Second.")) as scene:
        speaking = await with_voice(scene)
        speaking.gate = Gate()
        await scene.say("", attachments=[OWN])
        await scene.shows("Noted.")
        await speaking.gate.reached()
        await scene.say("next")
        await scene.shows("Second.")
        assert notes(scene) == []
        speaking.gate.open()
        await spoken(scene)


async def test_nothing_is_spoken_where_nobody_asked_for_it() -> None:
    async with stage(says("One."), says("Two."), says("Three.")) as scene:
        speaking = await with_voice(scene, on=False)
        await scene.say("", attachments=[OWN])
        await scene.shows("One.")
        await scene.say("/voice on")
        await scene.shows(VOICE_ON)
        await scene.say("typed")
        await scene.shows("Two.")
        await scene.say("", attachments=[OWN], forwarded_from="Eve")
        await scene.shows("Three.")
        await scene.settled(3)
    assert speaking.asked == 0
    assert scene.store.rows.voice_notes == {}


async def test_voice_off_ends_what_is_still_owed() -> None:
    async with stage(says("One."), says("Two.")) as scene:
        speaking = await with_voice(scene)
        speaking.gate = Gate()
        await scene.say("", attachments=[OWN])
        await speaking.gate.reached()
        await scene.say("", attachments=[OWN])
        await scene.shows("Two.")
        await scene.settled(2)
        await scene.say("/voice off")
        await scene.shows(TEXT_ALONE)
        speaking.gate.open()
        await scene.until(lambda: len(speaking.spoken) == 1)
        await quiet(scene)
    assert speaking.spoken == ["One."]


async def test_a_long_answer_is_spoken_at_its_beginning_and_says_so() -> None:
    answer = "\n\n".join(f"Paragraph {n}. " + "word " * 200 for n in range(6))
    async with stage(says(answer)) as scene:
        speaking = await with_voice(scene)
        await scene.say("", attachments=[OWN])
        note = await spoken(scene)
        assert note.text == "The beginning of the answer; the text has all of it."
    (said,) = speaking.spoken
    assert len(said) <= 4096
    assert said.startswith("Paragraph 0.")
    assert "Paragraph 5." not in said


async def test_code_is_left_out_and_code_alone_is_not_spoken() -> None:
    async with stage(says("Run this:\n\n```\nls\n```"), says("```\nls\n```")) as scene:
        speaking = await with_voice(scene)
        await scene.say("", attachments=[OWN])
        note = await spoken(scene)
        assert note.text == "Without code and tables; the text has them."
        await scene.say("", attachments=[OWN])
        await scene.settled(2)
        await quiet(scene)
    assert speaking.spoken == ["Run this:"]


@pytest.mark.parametrize(
    ("fault", "tries"), [(ModelDenied("the key is refused"), 1), (ModelUnreachable("gone"), 2)]
)
async def test_a_failure_is_told_once_a_day_and_never_harms_the_text(
    fault: ModelError, tries: int
) -> None:
    async with stage(*[says(f"Answer {n}.") for n in range(3)]) as scene:
        speaking = await with_voice(scene)
        speaking.faults = [fault] * tries * 3
        told: list[str] = []
        for n in range(3):
            if n == 2:
                await scene.clock.advance(timedelta(days=1).total_seconds())
            await scene.say("", attachments=[OWN])
            await scene.shows(f"Answer {n}.")
            for _ in range(tries - 1):
                wanted = n * tries + 1
                await scene.until(lambda w=wanted: speaking.asked == w)
                await scene.until(lambda: scene.clock.sleepers)
                await scene.clock.advance(2)
            await quiet(scene)
            told = [text for text in scene.texts if text.startswith(UNSPOKEN)]
            assert len(told) == (1 if n < 2 else 2)
    assert str(fault) in told[0]
    assert "/voice off" in told[0]
    assert notes(scene) == []
    assert all(u.model != "speak/fake" for u in scene.store.rows.usage.values())


@pytest.mark.parametrize("bad", ["sound", "disk"])
async def test_a_sound_that_cannot_be_used_is_told_and_was_paid_for(bad: str) -> None:
    async with stage(says("Noted.")) as scene:
        speaking = await with_voice(scene)
        speaking.sound = b"ID3 a song" if bad == "sound" else None
        scene.sounds.full = bad == "disk"
        await scene.say("", attachments=[OWN])
        await scene.shows(UNSPOKEN)
        await quiet(scene)
    assert len([u for u in scene.store.rows.usage.values() if u.model == "speak/fake"]) == 1


async def test_a_budget_bounds_speaking_too_and_an_unknown_price_is_never_nothing() -> None:
    async with stage(says("Noted." * 100)) as scene:
        scene.bound(day="0.008")
        speaking = await with_voice(scene)
        speaking.price = Decimal(100)
        await scene.say("", attachments=[OWN])
        told = await scene.shows(UNSPOKEN)
        assert "today's budget of $0.008 for everybody does not allow it" in told
        await quiet(scene)
    assert speaking.asked == 0
    async with stage(says("Noted.")) as scene:
        speaking = await with_voice(scene)
        speaking.price = None
        await scene.say("", attachments=[OWN])
        await spoken(scene)
        await scene.say("/usage")
        told = await scene.shows("speak/fake")
    assert "price unknown" in told
    assert "The price of 1 call is not known" in told


async def test_an_unpriced_voice_is_silent_while_there_is_a_budget() -> None:
    async with stage(says("Noted.")) as scene:
        scene.bound(day="5")
        speaking = await with_voice(scene)
        speaking.price = None
        await scene.say("", attachments=[OWN])
        told = await scene.shows(UNSPOKEN)
    assert "STEWARD_SPEAK_PRICE" in told
    assert speaking.asked == 0


async def test_a_chat_that_takes_no_voice_notes_is_told_once_and_left_in_peace() -> None:
    async with stage(says("One."), says("Two.")) as scene:
        speaking = await with_voice(scene)
        speaking.gate = Gate()
        await scene.say("", attachments=[OWN])
        await scene.shows("One.")
        await scene.settled()
        scene.channel.fail_next(ContentRefused(NO_VOICE_HERE))
        speaking.gate.open()
        told = await scene.shows(NO_VOICE_TAKEN)
        assert NO_VOICE_HERE in told
        assert "/voice on" in told
        await scene.say("", attachments=[OWN])
        await scene.shows("Two.")
        await scene.settled(2)
        await scene.say("/status")
        await scene.shows("Answers to voice messages: text only")
    assert speaking.spoken == ["One."]
    assert notes(scene) == []


async def test_words_that_were_erased_are_not_spoken() -> None:
    async with stage(says("Noted.")) as scene:
        speaking = await with_voice(scene)
        speaking.gate = Gate()
        await scene.say("", attachments=[OWN])
        await scene.shows("Noted.")
        await speaking.gate.reached()
        await scene.say("/forget conversation")
        await scene.press("Erase")
        await scene.until(lambda: not scene.store.rows.hearings)
        speaking.gate.open()
        await quiet(scene)
        assert notes(scene) == []
        await scene.clock.advance(60)
        await scene.until(lambda: not scene.sounds.files)
    assert speaking.spoken == ["Noted."]
    assert [u.model for u in scene.store.rows.usage.values()].count("speak/fake") == 1


async def test_the_sound_is_deleted_when_it_is_delivered() -> None:
    async with stage(says("Noted.")) as scene:
        await with_voice(scene)
        await scene.say("", attachments=[OWN])
        await spoken(scene)
        await quiet(scene)
        await scene.clock.advance(60)
        await scene.until(lambda: not scene.sounds.files)


async def test_an_answer_that_outlived_two_calls_is_not_spoken_a_third_time() -> None:
    async with stage(says("Noted.")) as scene:
        scene.bound(day="5")
        speaking = await with_voice(scene)
        await scene.say("/footer on")
        for life in (1, 2):
            speaking.gate = Gate()
            if life == 1:
                await scene.say("", attachments=[OWN])
            await speaking.gate.reached()
            lives = {line.call for line in scene.store.rows.usage.values() if line.estimated}
            assert len(lives) == life
            # A process that dies tidies nothing up: what its tasks write on their way is undone.
            rows = dict(scene.store.rows.usage)
            await scene.crash()
            scene.store.rows.usage = rows
        speaking.gate = None
        told = await scene.shows(UNSPOKEN)
        assert "I was restarted while it was being spoken" in told
        await quiet(scene)
    assert speaking.asked == 2
    assert notes(scene) == []


async def test_what_was_said_on_the_way_is_not_spoken() -> None:
    script: list[Step] = [calls(call("c1", "look"), text="Let me look."), says("It is there.")]
    async with stage(*script, tools=[looking()]) as scene:
        speaking = await with_voice(scene)
        await scene.say("", attachments=[OWN])
        await spoken(scene)
    assert speaking.spoken == ["It is there."]


async def test_without_a_service_voice_says_what_is_missing() -> None:
    async with stage() as scene:
        await scene.say("/voice on")
        assert "steward setup voice" in await scene.shows("I changed nothing.")
        scene.speaking = FakeSpeaking()
        await scene.crash()
        await scene.say("/voice")
        assert "steward setup voice" in await scene.shows("I cannot hear voice")
        await scene.say("/voice off")
        await scene.shows(TEXT_ALONE)
    assert not next(c for c in scene.store.rows.chats.values() if c.address == HOME).settings.voice


async def test_a_group_has_one_switch_and_the_voice_note_replies_as_the_answer_does() -> None:
    async with stage(says("For all."), says("In private."), people=PEOPLE) as scene:
        speaking = await with_voice(scene, on=False)
        team = Group(scene)
        assert (await team.command("/voice on")).startswith(VOICE_ON)
        asked = await team.ask("", BOB, attachments=(OWN,))
        note = await spoken(scene)
        assert note.address == TEAM
        assert note.piece.body["reply_to"] == asked
        await scene.say("", attachments=[OWN])
        await scene.shows("In private.")
        await scene.settled(2)
        await quiet(scene)
    assert speaking.spoken == ["For all."]
    (line,) = [u for u in scene.store.rows.usage.values() if u.model == "speak/fake"]
    assert line.cause.chat == team.chat.id


async def test_the_budget_of_a_message_holds_for_its_voice_note_too() -> None:
    async with stage(says("Noted.")) as scene:
        scene.bound(turn="0.001")
        speaking = await with_voice(scene)
        speaking.price = Decimal(1_000)
        await scene.say("", attachments=[OWN])
        told = await scene.shows(UNSPOKEN)
    assert "the budget of $0.001 for one message does not allow it" in told
    assert speaking.asked == 0


async def test_what_is_owed_ends_quietly_when_the_service_is_taken_away() -> None:
    async with stage(says("Noted.")) as scene:
        speaking = await with_voice(scene)
        speaking.gate = Gate()
        await scene.say("", attachments=[OWN])
        await speaking.gate.reached()
        scene.speaking = None
        await scene.crash()
        await quiet(scene)
    assert scene.texts[-1] == "Noted."


async def test_a_press_below_voice_turns_it_on_and_off() -> None:
    async with stage() as scene:
        await with_voice(scene, on=False)
        await scene.say("/voice")
        await scene.shows(f"{TEXT_ALONE[:-1]}. `/voice on` changes that.")
        await scene.press("On")
        await scene.shows(VOICE_ON)
        await scene.press("Off")
        await scene.until(
            lambda: not any(c.settings.voice for c in scene.store.rows.chats.values())
        )
