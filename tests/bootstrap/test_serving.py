"""Serving: what a channel gets from one form, one alone and several side by side."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.bootstrap.channel_form import ChannelForm
from bot.bootstrap.serving import serve
from bot.checkup.checkup import checkup
from bot.doctor import examine
from bot.domain.talk.errors import ChannelError, SettingError
from bot.settings import Settings, read_settings
from tests.bootstrap.toy_channel.form import ToyForm
from tests.bootstrap.toy_channel.platform import ToyPlatform
from tests.fakes.clock import FakeClock
from tests.patience import PATIENCE
from tests.words import DEMO_NOTE_THERE, OWNER_NOW

OWNERS = "toy:1,other:1"
APPROVE = "✅ Approve"


def settings_in(folder: Path, owners: str = OWNERS) -> Settings:
    return read_settings({"STEWARD_OWNERS": owners}, folder)


@asynccontextmanager
async def served(settings: Settings, *forms: ChannelForm) -> AsyncIterator[asyncio.Task[int]]:
    """Serves these channels; how the run ends is for the test to look at."""
    run = asyncio.create_task(serve(settings, forms))
    try:
        yield run
    finally:
        run.cancel()
        with suppress(asyncio.CancelledError, ExceptionGroup):
            await run


async def test_a_message_gets_its_answer(tmp_path: Path) -> None:
    toy = ToyPlatform()
    async with served(settings_in(tmp_path), ToyForm(toy)):
        toy.say("good evening")
        await toy.sees("You said “good evening”")
    assert not toy.open


async def test_a_card_is_shown_and_its_press_runs_the_call(tmp_path: Path) -> None:
    toy, settings = ToyPlatform(), settings_in(tmp_path)
    async with served(settings, ToyForm(toy)):
        toy.say("a note, please")
        await toy.offers(APPROVE)
        assert not (settings.workspace / "demo-note.txt").exists()
        toy.press(APPROVE)
        await toy.sees(DEMO_NOTE_THERE)
    assert (settings.workspace / "demo-note.txt").exists()


async def test_the_menu_comes_from_the_table_of_commands(tmp_path: Path) -> None:
    toy = ToyPlatform()
    async with served(settings_in(tmp_path), ToyForm(toy)):
        menu = dict(await toy.until(lambda platform: platform.menu))
        toy.say("/help")
        await toy.sees(menu["status"])
        assert menu["stop"] == "stop what I am doing; /stop all also drops waiting messages"


async def test_the_doctor_runs_the_checks_of_a_channel(tmp_path: Path) -> None:
    assert await told_by_doctor(tmp_path, ToyPlatform()) == ("ok", "The toy moves.", "")
    broken = ToyPlatform(broken=ChannelError("a wheel is off"))
    assert await told_by_doctor(tmp_path, broken) == ("fail", "a wheel is off.", "Buy a new toy.")


async def told_by_doctor(folder: Path, platform: ToyPlatform) -> tuple[str, str, str]:
    settings = settings_in(folder)
    clock = FakeClock(datetime(2100, 1, 1, tzinfo=UTC))
    findings = await examine(settings, checkup(settings, [ToyForm(platform)]), clock, folder)
    [found] = [finding for finding in findings if finding.subject == "toy"]
    return found.level, found.sentence, found.mend


async def test_channels_are_served_side_by_side_and_each_gets_its_own_answers(
    tmp_path: Path,
) -> None:
    toy, other = ToyPlatform(), ToyPlatform("other")
    async with served(settings_in(tmp_path), ToyForm(toy), ToyForm(other)):
        toy.say("good morning")
        other.say("good night")
        await toy.sees("You said “good morning”")
        await other.sees("You said “good night”")
    assert not any("good night" in said for said in texts(toy))
    assert not any("good morning" in said for said in texts(other))


def texts(platform: ToyPlatform) -> Sequence[str]:
    return [str(piece.body["text"]) for piece in platform.screen.values()]


async def test_a_channel_that_fails_ends_the_run_with_its_fault(tmp_path: Path) -> None:
    fault = ChannelError("a wheel is off")
    toy, broken = ToyPlatform(), ToyPlatform("other", broken=fault)
    async with served(settings_in(tmp_path), ToyForm(toy), ToyForm(broken)) as run:
        with pytest.raises(ExceptionGroup) as ended:
            await asyncio.wait_for(run, PATIENCE)
    assert ended.value.exceptions == (fault,)


async def test_the_run_ends_when_a_person_leaves(tmp_path: Path) -> None:
    toy, other = ToyPlatform(), ToyPlatform("other")
    async with served(settings_in(tmp_path), ToyForm(toy), ToyForm(other)) as run:
        toy.leave()
        assert await asyncio.wait_for(run, PATIENCE) == 0
    assert not other.open


async def test_a_channel_that_is_not_set_up_is_left_alone(tmp_path: Path) -> None:
    toy, other = ToyPlatform(), ToyPlatform("other", broken=ChannelError("not to be opened"))
    async with served(settings_in(tmp_path), ToyForm(toy), ToyForm(other, "OTHER_TOKEN")):
        toy.say("good morning")
        await toy.sees("You said “good morning”")


async def test_with_no_channel_set_up_nothing_is_served(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="TOY_TOKEN"):
        await serve(settings_in(tmp_path), [ToyForm(ToyPlatform(), "TOY_TOKEN")])


async def test_all_channels_offer_the_same_pairing_code_and_it_makes_an_owner(
    tmp_path: Path,
) -> None:
    toy, other = ToyPlatform(), ToyPlatform("other")
    async with served(settings_in(tmp_path, owners=""), ToyForm(toy), ToyForm(other)):
        codes = [await one.until(lambda platform: platform.pairing_code) for one in (toy, other)]
        assert codes[0] == codes[1]
        toy.say(f"/start {codes[0]}")
        await toy.sees(OWNER_NOW)


async def test_an_owned_assistant_offers_no_pairing_code(tmp_path: Path) -> None:
    toy = ToyPlatform()
    async with served(settings_in(tmp_path), ToyForm(toy)):
        await toy.until(lambda platform: platform.menu)
    assert toy.pairing_code == ""
