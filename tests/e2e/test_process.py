"""The process itself: its settings, its exit codes, and one owner for one home."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.steward import KEY, Steward
from tests.standins.messages_api import Gate, text, thinking
from tests.words import NOWHERE_TO_CHAT

_FLOWS_OWN = pytest.mark.flows_own("settings, locks and signals of the process")

NAMED = {"telegram": "it belongs to @steward_bot", "discord": "it belongs to Steward"}
WRONG = {
    "STEWARD_MAX_ROUNDS": "many",
    "STEWARD_MODEL": "somebody/else",
    "STEWARD_FALLBACK_MODELS": "demo/demo,somebody/else",
    "TELEGRAM_BOT_TOKEN": "a-wrong-token-nobody-may-see",
}


@_FLOWS_OWN
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("STEWARD_MAX_ROUNDS", marks=pytest.mark.starts_anew),
        "STEWARD_MODEL",
        "STEWARD_FALLBACK_MODELS",
        "TELEGRAM_BOT_TOKEN",
    ],
)
async def test_a_wrong_setting_is_one_sentence_and_code_2(steward: Steward, name: str) -> None:
    steward.settings[name] = WRONG[name]
    assert await steward.exit_code("run") == 2
    (sentence,) = steward.output.splitlines()
    assert sentence.startswith("steward: ")
    assert name in sentence
    assert "a-wrong-token-nobody-may-see" not in sentence


@_FLOWS_OWN
async def test_without_a_token_and_a_terminal_it_says_so_in_one_line(steward: Steward) -> None:
    steward.settings = {k: v for k, v in steward.settings.items() if not k.endswith("_BOT_TOKEN")}
    assert await steward.exit_code("run") == 2
    assert steward.output.splitlines() == [NOWHERE_TO_CHAT]


@_FLOWS_OWN
async def test_a_second_process_on_the_same_home_says_who_holds_it(steward: Steward) -> None:
    steward.script(text("Still here."))
    await steward.start()
    assert await steward.exit_code("run") == 2
    assert str(steward.home) in steward.output
    steward.say("Hello")
    await steward.sees("Still here.")


@_FLOWS_OWN
@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
async def test_two_homes_never_work_with_one_database(
    steward: Steward, tmp_path: Path, link: Callable[[Path, Path], None]
) -> None:
    steward.script(text("Still here."))
    await steward.start()
    other = tmp_path / "other.db"
    link(other, steward.home / "steward.db")
    second = await steward.launched(
        "run", STEWARD_HOME=str(tmp_path / "second"), STEWARD_DATABASE_URL=f"sqlite:///{other}"
    )
    assert await second.wait() == 2
    assert "Another Steward, with another STEWARD_HOME, works with the database" in steward.output
    steward.say("Hello")
    await steward.sees("Still here.")


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
async def test_it_ends_with_code_0_in_the_middle_of_a_turn_and_goes_on_later(
    steward: Steward, by: signal.Signals
) -> None:
    cut = Gate()
    steward.script(thinking("Hm.") + text("lost").held(cut), thinking("Hm.") + text("Here I am."))
    await steward.start()
    steward.say("Hello")
    await cut.arrived()
    await steward.stop(by)
    await cut.abandoned()
    await steward.start()
    await steward.sees("Here I am.")
    assert len(steward.shown) == 1


@_FLOWS_OWN
async def test_signals_without_a_meaning_change_nothing(steward: Steward) -> None:
    steward.script(text("Still here."))
    await steward.start()
    steward.tell(signal.SIGUSR1)
    steward.tell(signal.SIGUSR2)
    steward.say("Hello")
    await steward.sees("Still here.")


@_FLOWS_OWN
@pytest.mark.starts_anew
async def test_without_a_key_the_demo_model_answers_and_says_that_it_is_one(
    steward: Steward,
) -> None:
    del steward.settings["ANTHROPIC_API_KEY"]
    await steward.start()
    steward.say("Hello")
    await steward.sees("demo")
    assert steward.model.requests == []
    await steward.eventually(lambda: "turn ended: final_answer, 0 calls" in steward.output)
    assert "step " not in steward.output


async def test_config_and_doctor_tell_all_but_the_secrets(steward: Steward) -> None:
    assert await steward.exit_code("config") == 0
    assert await steward.exit_code("doctor") in (0, 1)
    assert f"…{KEY[-4:]}" in steward.output
    assert "The key is good" in steward.output
    assert NAMED[steward.platform] in steward.output
