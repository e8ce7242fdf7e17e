"""The page about now, with everything that it can show; and money by tasks, with budgets."""

import asyncio

from bot.domain.assignments.goal import GoalCondition
from bot.domain.assignments.hook import BrokenHook
from bot.domain.assignments.task import TaskState
from bot.domain.talk.errors import EmbedderError
from bot.domain.talk.limits import Limits
from bot.domain.turn.view import ModelReply, ModelRequest
from bot.flow.inspection.now_told import index_told
from bot.ports.meaning import MeaningCondition
from bot.ports.now_page import NowOrder, NowPage
from tests.fakes.model import RuledModel, call, calls, says
from tests.scenarios.stage import BOB, Stage, running, stage
from tests.scenarios.team import group
from tests.scenarios.test_errands import Family, errand, results_in
from tests.scenarios.test_goals import begun, noted, proposed
from tests.scenarios.test_inspection import pages, person
from tests.scenarios.test_meaning import caught_up
from tests.scenarios.test_schedules import HOUR, scheduled, task_in
from tests.scenarios.tools import tool


async def now_of(scene: Stage) -> NowPage:
    return await pages(scene).now.now(await person(scene))


async def test_tasks_are_shown_with_their_last_and_their_next_run() -> None:
    async with group(says("Watered.")) as team:
        scene = team.scene
        plants = await scheduled(scene)
        await scheduled(scene, "/schedule every 5h | Feed the cat")
        task = (await now_of(scene)).tasks[0]
        assert (task.name, task.below) == ("Water the plants", "Ann")
        assert (task.when, task.last) == ("every 2h", "not run yet")
        assert (task.next, task.good) == ("Mon 02 Nov, 14:00", False)
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        first, second = (await now_of(scene)).tasks
        assert (first.last, first.good) == ("Mon 02 Nov, 14:00, done", True)
        assert (first.next, first.verbs) == ("Mon 02 Nov, 16:00", ("run", "pause"))
        assert (second.name, second.last) == ("Feed the cat", "not run yet")
        await scene.say(f"/tasks pause {plants.id}")
        await scene.until(lambda: task_in(scene).state is TaskState.PAUSED)
        # One that is paused stands behind those that are due.
        paused = (await now_of(scene)).tasks[-1]
        assert (paused.name, paused.next) == ("Water the plants", "paused")
        assert paused.verbs == ("run", "resume")
        bob = await person(scene, BOB)
        assert (await pages(scene).now.now(bob)).tasks == ()


async def test_goals_of_a_person_are_shown_with_what_can_be_done() -> None:
    async with stage(noted("Begun."), says("Nobody reads this.")) as scene:
        await proposed(scene, "/goal Learn to row")
        await begun(scene)
        await scene.settled()
        told = {one.name: (one.stands, one.verbs) for one in (await now_of(scene)).goals}
    assert told == {
        "Learn to row": (GoalCondition.PROPOSED.value, ()),
        "Learn to sail": (GoalCondition.ACTIVE.value, ("run", "pause")),
    }


async def test_hooks_are_shown_with_their_last_call_and_those_that_cannot_be_used() -> None:
    async with stage(says("It is dry.")) as scene:
        scene.hooks.add("build", "Look at {{log}}.")
        scene.hooks.add("deploy", "Look.")
        broken = BrokenHook("nightly", "nightly.md", 1, "no end")
        scene.hooks.known["nightly"] = broken
        await scene.call_hook("build", {"log": "dry"}, key="one")
        await scene.settled()
        hooks = (await now_of(scene)).hooks
    assert hooks == (
        "build · last call 2026-11-02 12:00 UTC",
        "deploy · no call yet",
        "nightly · its file cannot be used",
    )


async def test_a_helper_is_shown_as_one_and_stopped_where_it_was_sent_out() -> None:
    def parent(request: ModelRequest) -> ModelReply:
        return says("Done.") if results_in(request) else calls(errand("e", "task dig"))

    def digging(request: ModelRequest) -> ModelReply:
        return says("Found.") if results_in(request) else calls(call("d", "dig"))

    dig = tool("dig", gate=(gate := asyncio.Event()))
    async with running(Stage(RuledModel(Family(parent, dig=digging)), [dig], Limits())) as scene:
        await scene.say("go")
        await dig.started.wait()
        # The answer that sent it out waits for it.
        (helper,) = (await now_of(scene)).runs
        assert (helper.below, helper.doing) == ("you, a helper", "round 2, 1 call")
        order = await pages(scene).now.order(await person(scene), "turn", helper.turn, "stop")
        assert order == NowOrder(scene.turns[0].chat, "stop", ())
        assert scene.turns[0].chat != scene.turns[1].chat
        gate.set()
        await scene.settled(2)


async def test_the_index_of_meaning_is_shown_where_one_is_set_up() -> None:
    async with stage(says("The car is here."), says("There.")) as scene:

        async def told() -> str | None:
            program = {one.name: one.told for one in (await now_of(scene)).program}
            assert program["Memory"] == "every answer can be found"
            return program.get("Search by meaning")

        assert await told() is None
        await scene.close()
        embedder = scene.find_by_meaning()
        await scene.start()
        await scene.say("Where is the car?")
        await scene.settled()
        await caught_up(scene)
        assert await told() == "all answers are indexed"
        embedder.fault = EmbedderError("the embedder is not reached")
        await scene.say("And the automobile?")
        await scene.settled(2)
        assert await told() == "off now, I search by words: the embedder is not reached"


def test_an_index_of_meaning_that_is_not_ready_says_so() -> None:
    for condition, words in (
        (MeaningCondition(3, "", True), "3 answers not in its index yet"),
        (MeaningCondition(0, "", False), "is starting"),
        (
            MeaningCondition(3, "no way, s3cret", True),
            "off now, I search by words: no way, [hidden]",
        ),
    ):
        assert index_told(condition, lambda told: told.replace("s3cret", "[hidden]")) == words


async def test_money_is_told_by_tasks_and_beside_the_budgets_that_count() -> None:
    async with group(says("Watered."), says("Ho.")) as team:
        scene = team.scene
        await scheduled(scene)
        await scene.clock.advance(2 * HOUR)
        await scene.settled()
        await team.ask("ho", BOB)
        await scene.settled(2)
        ann, bob = await person(scene), await person(scene, BOB)
        money = pages(scene).money
        assert (await money.money(ann, "day", "task")).budgets == ()
        await scene.say("/budget day 10")
        await scene.shows("$10.00")
        await scene.say("/budget person 2")
        await scene.shows("$2.00")
        alls, his = [await money.money(one, "day", "task") for one in (ann, bob)]
    assert (alls.by, [row.name for row in alls.rows]) == (
        "task",
        ["02 Nov 14:00 Bob", "02 Nov 14:00 Water the plants"],
    )
    assert [row.calls for row in alls.rows] == ["1", "1"]
    assert [one.name for one in alls.budgets] == ["Everybody, a day", "Each person, a day"]
    assert alls.budgets[0].told == "$10.00 left; under $0.0001 of $10.00 spent"
    assert [one.name for one in his.budgets] == ["Each person, a day"]
