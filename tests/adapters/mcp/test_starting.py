"""A skill's server before an owner has let it in: one tool that asks, and nothing started."""

import asyncio
from dataclasses import replace

import pytest

from bot.domain.talk.errors import InvalidArguments, OutcomeUnknown, ToolFailure
from bot.domain.talk.reach import Reach
from bot.domain.tools.server import ServerSpec
from bot.domain.tools.tool import Effect, LetServerIn
from tests.adapters.mcp.conftest import Bench, Make, eventually
from tests.processes import runs


async def test_a_server_that_is_not_let_in_offers_the_question_alone(bench: Make) -> None:
    one = bench(skill="support", allowed=False, env=(("TOKEN", "swordfish"),))
    tools = await one.tools()
    assert list(tools) == ["nasty__start"]
    assert one.noted("starts") == []
    (condition,) = await one.servers.condition([one.spec])
    assert condition.state == "waits for an owner to let it in"
    again = await one.tools()
    assert again["nasty__start"] is tools["nasty__start"]


async def test_the_card_shows_exactly_what_would_be_started_but_no_secret(bench: Make) -> None:
    env = (("NODE_OPTIONS", "--require ./x.js"), ("TOKEN", "swordfish"))
    told = (env[0], ("TOKEN", "{{TOKEN}}"))
    one = bench(skill="support", allowed=False, env=env, told_env=told)
    preview = await (await one.tools())["nasty__start"].preview({}, one.place)
    shown = "\n".join(block.text for block in preview.blocks)
    assert one.spec.line in shown
    assert "NODE_OPTIONS=--require ./x.js\nTOKEN={{TOKEN}}" in shown
    assert "swordfish" not in str(preview)
    assert (preview.effect, preview.reach, preview.always) == (Effect.DANGER, Reach.BEYOND, None)


async def test_a_word_lets_in_what_was_shown_and_nothing_else(bench: Make) -> None:
    one = bench(skill="support", allowed=False)
    start = (await one.tools())["nasty__start"]
    shown = (await start.preview({}, one.place)).seen
    output = await start.run({}, one.place, shown)
    assert output.after == LetServerIn(one.spec.identity, "nasty", one.spec.line)
    changed = replace(one.spec, command=("other",))
    with pytest.raises(ToolFailure, match="not what the owner was shown"):
        await (await one.tools(changed))["nasty__start"].run({}, one.place, shown)
    with pytest.raises(InvalidArguments):
        start.check({"force": True})


async def test_a_server_that_was_let_in_lends_its_tools(bench: Make) -> None:
    one = bench(skill="support", allowed=False)
    await one.tools()
    one.spec = replace(one.spec, allowed=True)
    tools = await one.tools()
    assert "nasty__echo" in tools
    assert "nasty__start" not in tools


def alive(one: Bench) -> list[int]:
    return [int(pid) for pid in one.noted("starts") if runs(int(pid))]


async def test_a_server_that_is_expelled_ends_at_once_and_no_call_starts_it_again(
    bench: Make,
) -> None:
    one = bench(skill="support")
    echo = (await one.tools())["nasty__echo"]
    assert len(alive(one)) == 1
    await one.servers.expel([one.spec.identity, "of none"])

    async def gone() -> bool:
        return not alive(one)

    await eventually(gone)
    with pytest.raises(ToolFailure, match="an owner has taken back that it was let in"):
        await echo.run({"text": "hello"}, one.place, None)
    assert len(one.noted("starts")) == 1
    await one.tools()
    assert (await one.run("echo", text="let in anew")).text == "let in anew"


async def test_a_call_under_way_of_an_expelled_server_may_have_happened(bench: Make) -> None:
    one = bench(skill="support")
    await one.tools()

    async def called() -> bool:
        return one.noted("calls") == ["hang"]

    call = asyncio.create_task(one.run("hang"))
    await eventually(called)
    await one.servers.expel([one.spec.identity])
    with pytest.raises(OutcomeUnknown):
        await call
    assert len(one.noted("starts")) == 1


async def test_a_server_that_was_met_makes_no_turn_wait_and_is_not_started_again(
    bench: Make,
) -> None:
    one = bench()
    await one.servers.meet([one.spec])
    (condition,) = await one.servers.condition([one.spec])
    assert len(condition.tools) > 1
    assert set(await one.tools()) == {spec.name for spec in condition.tools}
    await one.servers.meet([one.spec])
    assert len(one.noted("starts")) == 1


async def test_a_server_that_fails_to_be_met_is_told_once_and_holds_no_other_up(
    bench: Make, caplog: pytest.LogCaptureFixture
) -> None:
    one = bench()
    gone = ServerSpec("gone", ("/nowhere/at/all",))
    barred = ServerSpec("barred", ("/nowhere/else",), fault="a variable is missing")
    await one.servers.meet([gone, barred, one.spec])
    assert len(await one.tools(gone, one.spec)) > 1
    assert caplog.text.count("server gone cannot be listed") == 1
