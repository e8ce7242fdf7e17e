"""The tools about tasks: what models read of them, and what they refuse."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.apscheduler.calendar import CronCalendar
from bot.adapters.dateparser.date_words import DateWords
from bot.domain.assignments.task_wish import wish_of
from bot.domain.change import Change, SaveTask
from bot.domain.clock.zones import Zones
from bot.domain.talk.errors import InvalidArguments, ToolFailure
from bot.domain.talk.message import Address, CodeBlock, Plain
from bot.domain.talk.person import Role, Sender
from bot.domain.tools.tool import Effect
from bot.domain.turn.mandate import PERSONAL
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.task_shelf import TaskShelf
from bot.flow.schedules.timetable import Timetable
from bot.flow.schedules.tools import task_tools
from bot.ports.scheduled import Occasion
from bot.ports.tool import Place, Tool
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore
from tests.words import NEW_RUN_STOPS_IT

CALL = {"tool": "run_command", "arguments": {"command": "uptime"}}


class Shelf:
    """The tools over a store with one chat, in which Ann and Bob are known."""

    def __init__(self) -> None:
        self.clock, self.store = FakeClock(), MemoryStore()
        store, timetable = self.store, Timetable(CronCalendar(), DateWords())
        self.making = TaskMaking(store.scheduled, timetable, store.chats, store.people, Zones())
        shelf = TaskShelf(store.scheduled, self.making, timetable, store.people, self.clock)
        self.tools: Mapping[str, Tool] = {tool.spec.name: tool for tool in task_tools(shelf)}
        self.chat = 0

    async def place(self, person: int = 1) -> Place:
        for number, name in ((1, "Ann"), (2, "Bob")):
            await self.store.people.admit(Sender("telegram", str(number), name), Role.MEMBER)
        self.chat = (await self.store.chats.at(Address("telegram", "-5"), private=False)).id
        return Place(Path(), self.chat, "turn", "talk", person, "UTC", "call", mandate=PERSONAL)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def schedule(**more: Any) -> dict[str, Any]:
    return {"when": "every 2h", "what": "Look", **more}


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\u2028", "\x0b", "\x85"])
async def test_the_words_of_a_task_forge_no_line_of_its_card(shelf: Shelf, gap: str) -> None:
    forged = ("Tea", "", "When: never", "Next: never (UTC)", "Runs may only read.", "\u202eevil")
    wish = schedule(what=gap.join(forged))
    preview = await shelf.tools["schedule_task"].preview(wish, await shelf.place())
    ours = [b.text for b in preview.blocks if isinstance(b, Plain)]
    framed = [b.text for b in preview.blocks if isinstance(b, CodeBlock)]
    lines = "\n".join(ours).splitlines()
    told = [line for line in lines if line.startswith(("When:", "Next:", "Runs"))]
    assert [line.partition(" ")[0] for line in told] == ["Next:"]
    assert "\u202e" not in "".join([*ours, *framed])


def test_models_read_whole_schemas(shelf: Shelf) -> None:
    made = ["schedule_task", "list_tasks", "update_task", "cancel_task", "nothing_to_report"]
    assert list(shelf.tools) == made
    spelled = json.dumps([dict(tool.spec.input_schema) for tool in shelf.tools.values()])
    assert "$ref" not in spelled
    assert spelled.count('"required": ["tool", "arguments"]') == 2
    reads = {name for name, tool in shelf.tools.items() if tool.spec.effect is Effect.READ}
    assert reads == {"list_tasks", "nothing_to_report"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"calls": [{"tool": "run_command"}]},
        {"calls": [{**CALL, "more": 1}]},
        {"calls": ["uptime"]},
        {"calls": [{"tool": "search_with_claude", "arguments": {}}]},
        {"calls_until": "soon"},
        {"dollars_a_day": 0},
        {"overlap": "never"},
        {"what": ""},
    ],
)
def test_wrong_arguments_are_refused(shelf: Shelf, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArguments):
        shelf.tools["schedule_task"].check(schedule(**wrong))


async def test_the_card_shows_times_calls_bounds_and_the_other_chat(shelf: Shelf) -> None:
    place = await shelf.place()
    wish = schedule(
        calls=[CALL],
        calls_until="2026-12-24",
        runs_a_day=3,
        dollars_a_day=0.5,
        deliver="private",
        overlap="replace",
    )
    preview = await shelf.tools["schedule_task"].preview(wish, place)
    told = "\n".join(block.text for block in preview.blocks)
    for words in (
        "Next: Mon 2026-11-02 14:00, Mon 2026-11-02 16:00, Mon 2026-11-02 18:00 (UTC)",
        "until 2026-12-24",
        'run_command {"command":"uptime"}',
        "At most 3 runs, $0.50 a day.",
        "📬 It answers in another chat",
        NEW_RUN_STOPS_IT,
    ):
        assert words in told
    assert (preview.effect, preview.always) == (Effect.WRITE, None)
    assert (preview.title + told).count("every 2h") == 1


async def test_calls_without_a_day_are_approved_for_ninety_days(shelf: Shelf) -> None:
    place = await shelf.place()
    preview = await shelf.tools["schedule_task"].preview(schedule(calls=[CALL]), place)
    assert "Without a card until 2027-01-31," in "\n".join(block.text for block in preview.blocks)


async def test_words_without_a_time_are_told_with_examples(shelf: Shelf) -> None:
    place = await shelf.place()
    with pytest.raises(ToolFailure, match="every weekday 09:00"):
        await shelf.tools["schedule_task"].preview(schedule(when="when pigs fly"), place)
    dated = await shelf.tools["schedule_task"].preview(schedule(when="next friday 5pm"), place)
    assert "Fri 2026-11-06 17:00" in str(dated.blocks)


async def test_only_the_asker_and_owners_change_a_task_of_a_group(shelf: Shelf) -> None:
    place = await shelf.place()
    by = Occasion.commanded(shelf.chat, 1, shelf.clock.now())
    task = await shelf.making.made("one", wish_of(schedule()), by)
    await shelf.store.journal.commit(Change((SaveTask(task),)))
    assert "one" in (await shelf.tools["list_tasks"].run({}, place, None)).text
    preview = await shelf.tools["update_task"].preview({"task": "one", "state": "paused"}, place)
    assert preview.title == "Pause the task “Look”"
    gone = await shelf.tools["cancel_task"].preview({"task": "one"}, place)
    assert (gone.title, len(gone.blocks)) == ("Delete the task “Look”", 1)
    moved = await shelf.tools["update_task"].preview({"task": "one", "when": "every 3h"}, place)
    assert moved.title == "Change the task “Look”"
    assert "When: every 3h\nNext: " in moved.blocks[-1].text
    bob = await shelf.place(2)
    for name in ("update_task", "cancel_task"):
        with pytest.raises(ToolFailure, match='only "Ann" or an owner'):
            await shelf.tools[name].preview({"task": "one"}, bob)
        with pytest.raises(ToolFailure, match="no task with that id"):
            await shelf.tools[name].preview({"task": "two"}, place)
    assert task.due == shelf.clock.now() + timedelta(hours=2)
