"""A person is asked once which clock they use, when a time matters; their times follow it."""

import pytest

from bot.domain.clock.zones import meant, similar
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.limits import Limits
from bot.domain.talk.person import Role
from bot.domain.turn.transcript import AskerBody
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.model import RuledModel, call, calls, says
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, BOB, Stage, running, stage
from tests.scenarios.team import group
from tests.scenarios.test_note_changes import shown
from tests.scenarios.tools import ScenarioTool, tool, writing
from tests.words import BY_PLACE, ZONE_QUESTION

_KNOWN = {"Europe/Berlin", "Europe/Lisbon", "America/New_York", "Asia/Kolkata", "Etc/GMT-2", "UTC"}


async def asking(scene: Stage, language: str = "") -> None:
    """Lets the stage ask for clocks, as it does without a setting; people have this language."""
    scene.timezone, scene.language = None, language
    await scene.crash()


def labels(scene: Stage) -> list[str]:
    (shown,) = scene.cards
    return [button["label"] for row in shown.piece.body["buttons"] for button in row]


def moments(scene: Stage) -> list[str]:
    return [body.moment for body in scene.bodies if isinstance(body, AskerBody)]


def clock() -> ScenarioTool:
    return tool("current_time")


def looks(name: str = "t1") -> ModelReply:
    return calls(call(name, "current_time", {}))


async def test_the_question_does_not_come_before_a_time_matters() -> None:
    async with stage(says("Hello."), says("Hello again."), tools=[clock()]) as scene:
        await asking(scene, "de")
        await scene.say("Hi")
        await scene.settled()
        await scene.say("Hi")
        await scene.settled(2)
        assert scene.texts == ["Hello.", "Hello again."]


async def test_the_first_task_asks_once_and_in_silence() -> None:
    async with stage() as scene:
        await asking(scene, "en")
        await scene.say("/schedule every day 18:00 | Look")
        await scene.shows("⏰ Scheduled.")
        await scene.shows(ZONE_QUESTION)
        (question,) = (one for one in scene.channel.screen.values() if ZONE_QUESTION in one.text)
        assert question.piece.body["silent"]
        assert "Berlin" in scene.labels
        await scene.say("/schedule every day 19:00 | Look")
        await scene.until(lambda: sum("⏰ Scheduled." in text for text in scene.texts) == 2)
        assert sum(ZONE_QUESTION in text for text in scene.texts) == 1


async def test_the_question_comes_below_the_first_answer_that_needs_it_and_never_again() -> None:
    script = looks(), says("Hello."), looks("t2"), says("Still here.")
    async with stage(*script, tools=[clock()]) as scene:
        await asking(scene, "de")
        await scene.say("Hi")
        await scene.settled()
        assert scene.texts[0] == "Hello."
        assert ZONE_QUESTION in scene.texts[1]
        assert labels(scene) == [
            "Berlin",
            "Vienna",
            "Zurich",
            "Another city",
            BY_PLACE,
            "Not now",
        ]
        await scene.say("And now?")
        await scene.settled(2)
        assert sum(ZONE_QUESTION in text for text in scene.texts) == 1


async def test_a_press_sets_the_clock_of_the_model_and_of_lists() -> None:
    wants = calls(call("w", "write", {"what": "x"}))
    async with stage(looks(), says("Hello."), wants, tools=[writing(), clock()]) as scene:
        await asking(scene, "de-AT")
        await scene.say("Hi")
        await scene.settled()
        assert await scene.press("Vienna") == ""
        await scene.shows("From now on I use `Europe/Vienna`: it is 13:00 there.")
        assert labels(scene) == [
            "Berlin",
            "✓ Vienna",
            "Zurich",
            "Another city",
            BY_PLACE,
        ]
        await scene.say("Write")
        await scene.parked()
        assert moments(scene) == [
            "Monday 2026-11-02 12:00 UTC",
            "Monday 2026-11-02 13:00 Europe/Vienna",
        ]
        await scene.say("/people")
        await scene.until(lambda: any("last asked me 2026-11-02 13:00" in t for t in scene.texts))
        assert [card.state for card in scene.approvals] == [ApprovalState.OPEN]


async def test_who_wants_no_clock_is_left_alone() -> None:
    script = looks(), says("Hello."), looks("t2"), says("Still here.")
    async with stage(*script, tools=[clock()]) as scene:
        await asking(scene)
        await scene.say("Hi")
        await scene.settled()
        assert await scene.press("Not now") == ""
        await scene.shows("My times stay UTC.")
        person = await scene.store.people.by_sender(ANN)
        assert person is not None
        assert person.timezone is None
        await scene.say("And now?")
        await scene.settled(2)
        assert not any(ZONE_QUESTION in text for text in scene.texts)


async def test_with_a_setting_nobody_is_asked_and_its_clock_counts() -> None:
    async with stage(looks(), says("Hello."), tools=[clock()]) as scene:
        scene.timezone = "Asia/Tokyo"
        await scene.crash()
        await scene.say("Hi")
        await scene.settled()
        assert scene.texts == ["Hello."]
        assert moments(scene) == ["Monday 2026-11-02 21:00 Asia/Tokyo"]


async def test_in_a_group_nobody_is_asked_and_each_has_their_own_clock() -> None:
    script = looks(), says("Hi."), looks("t2"), says("Hi.")
    async with group(*script, tools=[clock()]) as team:
        await asking(team.scene)
        await team.say("/timezone Tokyo", BOB, to_bot=True)
        await team.scene.until(lambda: team.scene.channel.screen)
        await team.ask("hello", BOB)
        await team.scene.settled()
        await team.ask("hello", ANN)
        await team.scene.settled(2)
        assert [moment.rpartition(" ")[2] for moment in moments(team.scene)] == [
            "Asia/Tokyo",
            "UTC",
        ]
        assert not any(ZONE_QUESTION in text for text in team.scene.texts)


def _answers(request: ModelRequest, number: int) -> ModelReply:
    looked = "current_time" in str(request.messages[-1])
    return says("Hello.") if looked else looks(f"t{number}")


async def _play(fate: Fate) -> Stage:
    scene = Stage(RuledModel(_answers), [clock()], Limits(), fate)
    scene.timezone = None
    scene.application = scene.composed()
    async with running(scene):
        life = Life(scene, fate, wish=lambda _: None)
        await life.accept(scene.message("Hi"))
        await life.until_shown("Hello.")
    return scene


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play)))
async def test_a_death_at_any_write_asks_once(at: int, after: bool) -> None:
    scene = await _play(Fate(at, after))
    rows = scene.store.rows.outbox
    assert [key for key in rows if key.startswith("zone:")] == ["zone:1"]
    assert 1 <= sum(ZONE_QUESTION in text for text in scene.texts) <= 2


@pytest.mark.parametrize(
    ("words", "zone"),
    [
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("europe/LISBON", "Europe/Lisbon"),
        ("+2", "Etc/GMT-2"),
        ("UTC+02:00", "Etc/GMT-2"),
        ("utc", "UTC"),
        ("+0", "UTC"),
        ("Munich", None),
        ("x" * 10_000, None),
        ("", None),
    ],
)
def test_a_zone_is_found_by_name_city_or_difference(words: str, zone: str | None) -> None:
    assert meant(words, _KNOWN) == zone


def test_a_slip_in_a_city_is_noticed() -> None:
    assert similar("Berlim", _KNOWN) == ["Europe/Berlin"]
    assert similar("Xyz", _KNOWN) == []


async def test_a_city_that_nobody_knows_changes_nothing() -> None:
    async with stage(people=((ANN, Role.OWNER),)) as scene:
        await scene.say("/timezone Munich")
        await scene.shows("I do not know a time zone for `Munich`. Try a larger city")
        await scene.say("/timezone Berlim")
        await scene.shows("Did you mean Berlin or Belem?")
        await scene.say("/timezone +2")
        await scene.shows("From now on I use `Etc/GMT-2`: it is 14:00 there.")
        await scene.say("/timezone off")
        await scene.shows("I forget your time zone. From now on my times are UTC.")


async def test_another_city_is_asked_for_and_a_slip_is_asked_about_again() -> None:
    async with stage(looks(), says("Hello."), tools=[clock()]) as scene:
        await asking(scene, "de")
        await scene.say("Hi")
        await scene.settled()
        assert await scene.press("Another city") == ""
        question = await shown(scene, "Which city has your time?")
        await scene.say("Berlim", reply_to=question)
        again = await shown(scene, "Did you mean Berlin or Belem?")
        await scene.say("Lisbon", reply_to=again)
        await scene.shows("From now on I use `Europe/Lisbon`: it is 12:00 there.")
        person = await scene.store.people.by_sender(ANN)
        assert person is not None
        assert person.timezone == "Europe/Lisbon"
        assert len(scene.model.requests) == 2, "the replies are no messages for the model"


async def test_where_nobody_can_send_a_location_none_is_asked_for() -> None:
    async with stage(looks(), says("Hello."), tools=[clock()]) as scene:
        scene.channel.locates = False
        await asking(scene, "de")
        await scene.say("Hi")
        await scene.settled()
        assert labels(scene) == ["Berlin", "Vienna", "Zurich", "Another city", "Not now"]
        await scene.press("Vienna")
        await scene.shows("From now on I use")
        assert labels(scene) == ["Berlin", "✓ Vienna", "Zurich", "Another city"]
        await scene.say("/timezone")
        await scene.shows("Your time zone is")
        assert BY_PLACE not in scene.labels
