"""Runs of hooks: once each over a death at any write, and gone with their chat."""

import asyncio

import pytest

from bot.domain.assignments.task import RunState
from bot.domain.change import Change, Erase
from bot.domain.change.erasing import Target
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import ModelDenied
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Presence, PresenceChange
from bot.domain.tools.tool import Code
from bot.domain.turn.transcript import ArrivalBody, AskerBody, NoteBody
from bot.domain.turn.turn import BOT_GONE
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart
from bot.ports.hook_service import Answered, Refusal, Refused
from tests.fakes.model import RuledModel, ScriptedModel, call, calls, says
from tests.scenarios.dying import Fate
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, HOME, Stage, running, stage
from tests.scenarios.tools import writing
from tests.words import TRIED

FOUND = "No water."
SECRET = "xyzzyplugh"


def hook_states(scene: Stage) -> list[tuple[RunState, int]]:
    return [(one.state, one.tries) for one in scene.store.rows.hook_calls.values()]


def _fails_first(request: ModelRequest, _: int) -> ModelReply:
    """Fails in the first try, writes a note in the second, and tells what it found."""
    told = str(request.messages)
    if TRIED not in told:
        raise ModelDenied("no", Trouble.KEY, "A_KEY")
    if any(isinstance(part, ResultPart) for part in request.messages[-1].parts):
        return says(FOUND)
    return calls(call("w", "write", {"what": "x"}))


async def _play(fate: Fate) -> tuple[Stage, int]:
    """Lives through a call whose first try fails and whose second one asks by a card."""
    tool = writing()
    scene = Stage(RuledModel(_fails_first), [tool], Limits(), fate)
    scene.hooks.add("build", "Look at {{log}} and say why.")
    async with running(scene):
        life = Life(scene, fate)
        await life.handed(lambda: scene.call_hook("build", {"log": "dry"}, key="build-7"))
        await life.until(lambda: hook_states(scene) == [(RunState.AGAIN, 1)])
        passing = asyncio.create_task(scene.clock.advance(60))
        await life.until(lambda: any(FOUND in text for text in scene.texts))
        await passing
    return scene, len(tool.ran)


_FEWEST_WRITES = 21
_SIGNS = 3
"""A minute passes meanwhile: what shows the progress writes more often on a busy machine."""


async def test_no_write_of_a_call_is_left_untried() -> None:
    fate = Fate(None, after=False)
    await _play(fate)
    assert _FEWEST_WRITES <= fate.writes <= _FEWEST_WRITES + _SIGNS


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", range(1, _FEWEST_WRITES + 1))
async def test_a_death_at_any_write_of_a_call_leaves_it_one_run_and_one_answer(
    at: int, *, after: bool
) -> None:
    fate = Fate(at, after)
    scene, ran = await _play(fate)
    assert fate.died.is_set()
    scene.assert_whole()
    assert hook_states(scene) == [(RunState.DONE, 2)]
    assert [one.origin for one in scene.turns] == ["hook", "hook"]
    answers = [key for key in scene.store.rows.outbox if key.startswith("answer:")]
    assert len(answers) == 1, "the failure of the first try is not told"
    notes = [b for b in scene.bodies if isinstance(b, NoteBody) and b.purpose == "hook"]
    arrived = [b for b in scene.bodies if isinstance(b, ArrivalBody)]
    asked = [b for b in scene.bodies if isinstance(b, AskerBody)]
    assert (len(notes), len(arrived), len(asked)) == (2, 2, 2)
    unknown = [one for one in scene.results if one.code is Code.OUTCOME_UNKNOWN]
    assert ran == 1 or (ran == 0 and unknown)


async def test_a_call_that_waits_for_its_next_try_ends_when_the_bot_leaves_the_chat() -> None:
    scene = Stage(RuledModel(_fails_first), [writing()], Limits())
    scene.hooks.add("build", "Look at {{log}} and say why.")
    async with running(scene):
        taken = await scene.call_hook("build", {"log": "dry"})
        assert isinstance(taken, Answered)
        await scene.until(lambda: hook_states(scene) == [(RunState.AGAIN, 1)])
        await _present(scene, Presence.MEMBER, Presence.GONE)
        await scene.until(lambda: hook_states(scene) == [(RunState.STOPPED, 1)])
        await scene.clock.advance(120)
        (over,) = scene.store.rows.hook_calls.values()
        assert (over.state, over.why, over.data) == (RunState.STOPPED, BOT_GONE, "")
        assert len(scene.turns) == 1


@pytest.mark.parametrize("ahead", [0.0, 9 * 3_600.0])
async def test_a_call_keeps_what_it_needs_until_its_last_try_and_nothing_afterwards(
    ahead: float,
) -> None:
    def once_failing(request: ModelRequest, _: int) -> ModelReply:
        if TRIED not in str(request.messages):
            raise ModelDenied("no", Trouble.KEY, "A_KEY")
        return says(FOUND)

    scene = Stage(RuledModel(once_failing), [], Limits())
    scene.hooks.add("build", "Look at {{log}} and say why.")
    async with running(scene):
        # A clock that is ahead sets the time of the next try, and is set right afterwards.
        scene.clock.set_wall(ahead)
        assert isinstance(await scene.call_hook("build", {"log": SECRET}), Answered)
        await scene.until(lambda: hook_states(scene) == [(RunState.AGAIN, 1)])
        await _forget_all(scene)
        (waiting,) = scene.store.rows.hook_calls.values()
        assert SECRET in waiting.data, "the next try needs it"
        scene.clock.set_wall(-ahead)
        passing = asyncio.create_task(scene.clock.advance(60))
        await scene.until(lambda: any(FOUND in text for text in scene.texts))
        await passing
        await scene.until(lambda: hook_states(scene) == [(RunState.DONE, 2)])
        await _forget_all(scene)
        assert SECRET not in str(scene.store.rows)


async def _forget_all(scene: Stage) -> None:
    await scene.store.journal.commit(Change((Erase(Target("p1")),)))


async def test_a_call_for_a_chat_that_blocked_the_bot_is_taken_only_when_it_is_back() -> None:
    with ScriptedModel(says("Seen."), says("Seen again.")) as model:
        scene = Stage(model, [], Limits())
        scene.hooks.add("build", "Look at {{log}}.")
        async with running(scene):
            assert isinstance(await scene.call_hook("build", {"log": "dry"}), Answered)
            await scene.settled()
            await _present(scene, Presence.MEMBER, Presence.GONE)
            refused = await scene.call_hook("build", {"log": "dry"})
            assert refused == Refused(Refusal.NO_PLACE, "The hook cannot run now.")
            await _present(scene, Presence.GONE, Presence.MEMBER)
            assert isinstance(await scene.call_hook("build", {"log": "dry"}), Answered)
            await scene.settled(2)


async def _present(scene: Stage, before: Presence, now: Presence) -> None:
    """The platform says how the bot's membership in Ann's private chat has changed."""
    change = PresenceChange(HOME, ANN, before, now, "private")
    await scene.application.parts.intake.accept("fake", (scene.channel.update(change),))
    await scene.routed()


async def test_a_card_of_a_run_names_the_hook_and_the_gaps_in_its_words() -> None:
    script = (calls(call("w", "write", {"what": "x"})), says(FOUND))
    async with stage(*script, tools=[writing()]) as scene:
        scene.hooks.add("build", "Look at {{log.0}} of {{repo}} and say why.")
        await scene.call_hook("build", {"log": ["dry"], "repo": "garden"}, key="build-7")
        await scene.until(lambda: scene.cards)
        assert "“hook build: Look at …”" in scene.cards[-1].text
        await scene.press("Approve")
        await scene.shows(FOUND)
