"""Thumbs on answers, in the running program: kept over SIGKILL, and handed to the owner."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.launching import Command
from tests.e2e.steward import KEY, Steward
from tests.e2e.terminals import Terminal
from tests.standins.bot_api import ShownMessage
from tests.standins.messages_api import MessagesApi, text
from tests.standins.serving import serving
from tests.words import NOTED_LAST, READY

ROWS = "SELECT verdict FROM feedback"


async def exported(steward: Steward, *arguments: str) -> list[dict[str, Any]]:
    before = len(steward.output)
    assert await steward.exit_code("feedback", "--json", *arguments) == 0
    lines = steward.output[before:].splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"turn"')]


@pytest.mark.shared
async def test_a_thumb_becomes_a_row_that_the_owner_can_export(steward: Steward) -> None:
    steward.script(text("Four."))
    await steward.start()
    steward.say("Two and two?")
    told = await steward.sees("Four.")
    await steward.recorded()
    steward.react(told, "🔥")
    steward.react(told, "👍")
    await steward.eventually(lambda: steward.records.rows(ROWS) == [("good",)])
    await steward.restart()
    (row,) = await exported(steward)
    assert row["verdict"] == "good"
    assert row["models"][0].startswith("anthropic/")
    assert set(row) == {"turn", "chat", "person", "verdict", "at", "models"}
    assert await exported(steward, "--since", "2999-01-01") == []
    assert await steward.exit_code("feedback", "--since", "yesterday") == 2
    steward.react(told, "👎")
    await steward.eventually(lambda: steward.records.rows(ROWS) == [("bad",)])
    steward.react(told, "👎", gone=True)
    await steward.eventually(lambda: steward.records.rows(ROWS) == [])


@pytest.mark.telegrams_own("reactions are told to administrators alone")
async def test_in_a_group_only_an_administrator_is_told(steward: Steward) -> None:
    steward.script(text("Four."))
    await steward.start()
    group = steward.telegram.group("Team", steward.ann)
    steward.telegram.say(steward.ann, "@steward_bot Two and two?", chat=group)

    def answers() -> list[ShownMessage]:
        return [m for m in steward.telegram.screen(group.id).from_bot if "Four." in m.text]

    found = await steward.until(answers)
    await steward.recorded()
    steward.telegram.react(steward.ann, found[0], "👍")
    steward.telegram.promote_bot(group, steward.ann)
    steward.telegram.react(steward.ann, found[0], "👎")
    await steward.eventually(lambda: steward.records.rows(ROWS) == [("bad",)])


async def test_a_kill_after_the_thumb_came_loses_nothing(steward: Steward) -> None:
    steward.script(text("Four."))
    await steward.start()
    steward.say("Two and two?")
    told = await steward.sees("Four.")
    await steward.recorded()
    with steward.records.locked():
        steward.react(told, "👍")
        await steward.kill()
    await steward.start()
    await steward.eventually(lambda: steward.records.rows(ROWS) == [("good",)])


async def test_in_the_terminal_a_command_is_the_thumb(tmp_path: Path, command: Command) -> None:
    model = MessagesApi(api_key=KEY)
    model.script.add(text("Four."))
    async with serving(model.app) as url:
        access = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}
        talk = Terminal(tmp_path, "chat", columns=100, rows=40, command=command, environ=access)
        try:
            await talk.shows(READY)
            talk.say("Two and two?")
            await talk.shows("Four.")
            talk.say("/feedback bad")
            await talk.shows(NOTED_LAST)
            talk.say("/feedback")
            await talk.shows("By model", "👎 1")
            talk.say("/quit")
            assert await talk.ended() == 0
        finally:
            talk.close()
