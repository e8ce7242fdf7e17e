"""Buttons below the answers to commands: a press does what typing the words would do."""

import pytest

from bot.domain.skills.skill import Skill
from bot.domain.talk.chat import Activation, Chat, QueueMode
from bot.domain.talk.person import Role
from bot.flow.commanding.choices import choice, typed_for
from tests.fakes.skills import FakeSkills
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.scenarios.team import TEAM, group
from tests.words import DEAD_BUTTON, OWNERS_ONLY

_BOTH = ((ANN, Role.OWNER), (BOB, Role.MEMBER))


async def home(scene: Stage) -> Chat:
    return await scene.store.chats.at(HOME, private=True)


async def test_a_press_sets_the_value_and_the_message_shows_it() -> None:
    async with stage() as scene:
        await scene.say("/queue")
        await scene.shows("`/queue steer`")
        assert await scene.press("Join in") == ""
        await scene.shows("From now on a message that comes while I am busy joins")
        assert (await home(scene)).settings.queue_mode is QueueMode.STEER
        assert await scene.press("Interrupt") == ""
        await scene.shows("From now on a message that comes while I am busy stops me")
        (shown,) = scene.cards
        labels = [button["label"] for row in shown.piece.body["buttons"] for button in row]
        assert labels == ["Wait", "Join in", "✓ Interrupt"]
        assert len(scene.texts) == 1


async def test_a_model_and_a_skill_are_chosen_by_a_press() -> None:
    drinks = [Skill(n, "Makes it.", "Boil.", f"/skills/{n}") for n in ("tea", "coffee")]
    async with stage(skills=FakeSkills(*drinks)) as scene:
        await scene.say("/skill")
        await scene.press("tea")
        await scene.shows("`tea` is on from your next message")
        assert (await home(scene)).skill == "tea"
        await scene.press("No skill")
        await scene.shows("`tea` is off")
        await scene.say("/model")
        await scene.press("✓ fake")
        await scene.shows("From your next message on: `fake/fake`")
        assert (await home(scene)).settings.model == "fake/fake"


async def test_the_help_has_a_page_for_each_topic_and_owners_have_one_more() -> None:
    async with stage(people=_BOTH) as scene:
        await scene.say("/help")
        first = await scene.shows("Just write to me.")
        assert len([line for line in first.splitlines() if line.startswith("- ")]) == 6
        await scene.press("People, for owners")
        await scene.shows("`/allow <person>`: let someone in")
        await scene.press("Talking")
        await scene.shows("`/compact`")
        await scene.say("/help all", BOB)
        told = await scene.shows("**Permissions**")
        assert ("/allow" in told, "/activation" in told) == (False, False)


@pytest.mark.parametrize(
    ("command", "way"),
    [("/activation maybe", "changes that."), ("/context maybe", "`/context on` lets me")],
)
async def test_a_word_that_chooses_nothing_is_named(command: str, way: str) -> None:
    async with group() as team:
        told = await team.command(command)
        assert told.startswith("`maybe` is no choice here. Nothing was changed.")
        assert way in told


async def test_a_press_grants_nothing_that_typing_would_not() -> None:
    async with group() as team:
        await team.command("/activation")
        (shown,) = team.scene.cards
        told = await team.scene.press_data("m:activation:always", BOB, shown.id, TEAM)
        assert OWNERS_ONLY in told
        assert team.chat.settings.activation is Activation.MENTION
        assert await team.scene.press_data("m:activation:always", ANN, shown.id, TEAM) == ""
        assert team.chat.settings.activation is Activation.ALWAYS


@pytest.mark.parametrize("data", ["m:compact:", "m:new:", "m:stop:all", "m:nothing:x", "m:allow:9"])
async def test_only_commands_that_set_a_value_can_be_pressed(data: str) -> None:
    async with stage() as scene:
        await scene.say("/queue")
        await scene.shows("`/queue steer`")
        (shown,) = scene.cards
        assert await scene.press_data(data, ANN, shown.id) == DEAD_BUTTON
        assert len(scene.texts) == 1


async def test_a_stranger_presses_nothing() -> None:
    async with stage() as scene:
        await scene.say("/queue")
        await scene.shows("`/queue steer`")
        (shown,) = scene.cards
        assert await scene.press_data("m:queue:steer", BOB, shown.id) == DEAD_BUTTON
        assert (await home(scene)).settings.queue_mode is QueueMode.QUEUE


def test_words_too_long_for_a_button_have_none():
    assert choice("x", "skill", "n" * 56)
    assert choice("x", "skill", "n" * 57) == ()


@pytest.mark.parametrize("data", ["", "m", "m:", "m:queue", "a:token:approve", "m:1:x", "m:a b:c"])
def test_other_data_is_no_choice(data: str):
    assert typed_for(data) is None


def test_a_choice_is_read_as_the_command_a_person_would_type():
    ((button,),) = (choice("Off", "skill", "off"),)
    assert typed_for(button.data) == "/skill off"
    assert typed_for("m:help:") == "/help"
