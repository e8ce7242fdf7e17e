"""The list of commands on Discord: what it says about their words, and which ones it offers."""

import pytest

from bot.adapters.discord.menu import listed, suggested
from tests.standins.discord.rules import check_commands


@pytest.mark.parametrize(
    ("usage", "words"),
    [
        ("on|off", ["on", "off"]),
        ("[city|+2|off]", ["off"]),
        ("[model]", []),
        ("<name> [words]|off", ["off"]),
        ("<id>|conversation|all", ["conversation", "all"]),
        ("[day|person|message] [dollars|off]", ["day", "person", "message"]),
        ("<id | channel:id> [commands on|off] [pace off|default|20/min]", []),
        ("on|list|show <number>|use <name> [arguments]|<wish>", ["on", "list"]),
    ],
)
def test_only_words_that_may_come_first_are_suggested(usage: str, words: list[str]) -> None:
    assert suggested(usage, "") == words


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        ("", "leave this empty"),
        ("on|off", "on|off"),
        (f"{'on|' * 32}cancel <number>", f"{'on|' * 32}…"),
        ("a" * 101, f"{'a' * 99}…"),
    ],
)
def test_the_words_of_a_long_usage_are_not_cut_apart(usage: str, told: str) -> None:
    commands = listed([("plan", "see all steps first")], {"plan": usage})
    check_commands(commands)
    [option] = commands[0]["options"]
    assert option["description"] == told
