"""What a run that serves does not need is not loaded with the program."""

import subprocess
import sys

import pytest

_PARTS = {
    "the terminal": ("bot.adapters.terminal", "prompt_toolkit"),
    "what stands beside a run": ("bot.checkup", "bot.one_off"),
    "Discord": ("bot.adapters.discord", "discord", "aiohttp"),
    "the command line of an HTTP library": ("rich", "pygments"),
    "a caller of hooks": ("bot.adapters.hook_door.caller",),
    "the web": ("bot.adapters.web_pages", "bot.adapters.web_search", "bot.adapters.tools.web"),
    "doors": ("bot.adapters.hook_door.door", "bot.adapters.http_server", "uvicorn"),
    "numbers for operators": ("bot.adapters.metrics", "prometheus_client"),
    "traces": ("bot.adapters.traces", "opentelemetry"),
    "libraries of models": ("anthropic", "openai", "httpx2"),
    "voice": ("bot.adapters.openai.speaking", "bot.adapters.voice.hearing"),
    "tool servers": ("mcp", "anyio._backends", "jsonschema"),
    "readers, charts and maps": ("pypdf", "docx", "openpyxl", "PIL", "matplotlib", "tzfpy"),
    "the calendar": ("apscheduler", "dateparser"),
    "meaning": ("chromadb",),
    "migrations and objects of tables": ("alembic", "sqlalchemy.orm", "psycopg"),
}

_ADDRESSES = frozenset({"bot.adapters.terminal", "bot.adapters.terminal.update"})
"""What every run has of the terminal: the address of a chat tells the folder that it works in."""


@pytest.fixture(scope="module")
def loaded() -> frozenset[str]:
    look = "import sys, bot.__main__, bot.start, bot.bootstrap.program; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    return frozenset(told.stdout.split())


@pytest.mark.parametrize("part", _PARTS)
def test_the_program_is_loaded_without(part: str, loaded: frozenset[str]) -> None:
    assert "bot.flow.turn.turns" in loaded
    below = tuple(f"{name}." for name in _PARTS[part])
    found = {name for name in loaded if name in _PARTS[part] or name.startswith(below)}
    assert found - _ADDRESSES == set()


def test_a_visit_to_a_running_program_loads_nothing_of_the_program() -> None:
    look = "import sys, bot.__main__, bot.visits.visiting; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    loaded = told.stdout.split()
    assert "bot.adapters.home_door.caller" in loaded
    heavy = (
        *("bot.flow", "bot.settings", "bot.bootstrap", "bot.cli", "bot.adapters.sql", "bot.start"),
        *(
            "pydantic",
            "sqlalchemy",
            "click",
            "rich.console",
            "prompt_toolkit",
            "anthropic",
            "httpx",
        ),
    )
    below = tuple(f"{name}." for name in heavy)
    assert {name for name in loaded if name in heavy or name.startswith(below)} == set()
