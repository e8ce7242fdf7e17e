"""The line of runs: it is the same after a restart, so chats go on in turn."""

from dataclasses import replace

from bot.domain.assignments.task import RunState
from bot.domain.talk.limits import Limits, ScheduleBounds
from bot.domain.talk.message import Address
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.model import Gate, ScriptedModel, says
from tests.scenarios.stage import Stage, running
from tests.scenarios.test_schedules import HOUR, scheduled

OTHERS, OF_ONE_CHAT = 5, 30


async def _due(scene: Stage) -> int:
    """Stores one task in each of some chats, and many in one, due in the same hour.

    Those of the one come first; returns its chat.
    """
    pattern = await scheduled(scene, "/schedule every 1h | Look")
    copies = [replace(pattern, id=f"a{n:02}") for n in range(OF_ONE_CHAT - 1)]
    for n in range(OTHERS):
        chat = await scene.store.chats.at(Address("fake", f"other-{n}"), private=True)
        copies.append(replace(pattern, id=f"z{n}", chat=chat.id, home=chat.id))
    scene.store.rows.tasks.update({one.id: one for one in copies})
    return pattern.chat


async def test_after_a_restart_runs_of_one_chat_keep_no_other_chat_waiting() -> None:
    gate, begun = Gate(), list[int]()
    most = 0

    def answer(_: ModelRequest) -> ModelReply:
        nonlocal most
        at_work = [t for t in scene.turns if t.state is TurnState.RUNNING]
        most = max(most, len(at_work))
        begun.extend(t.chat for t in at_work)
        return says("Done.")

    every = OF_ONE_CHAT + OTHERS
    with ScriptedModel(gate, *[answer] * every) as model:
        made = Stage(model, [], Limits())
        made.schedules = ScheduleBounds(at_once=1)
        made.application = made.composed()
        async with running(made) as scene:
            crowded = await _due(scene)
            await scene.clock.advance(HOUR)
            await gate.reached()
            await scene.crash()
            await scene.settled(every)
    assert most == 1, "as few at once as before the restart"
    others = [n for n, chat in enumerate(begun) if chat != crowded]
    assert others == [1, 2, 3, 4, 5], "behind the run that had begun, before the others of its chat"
    assert {one.state for one in scene.store.rows.runs.values()} == {RunState.DONE}
