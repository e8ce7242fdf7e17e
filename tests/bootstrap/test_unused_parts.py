"""What a run that serves does not need is not loaded with the program."""

import subprocess
import sys

import pytest

_PARTS = {
    "the terminal": ("bot.adapters.terminal", "prompt_toolkit"),
    "what stands beside a run": ("bot.checkup", "bot.one_off"),
    "Discord": ("bot.adapters.discord", "discord", "aiohttp"),
    "the web": ("bot.adapters.web_pages", "bot.adapters.web_search", "bot.adapters.tools.web"),
    "doors": ("bot.adapters.hook_door.door", "bot.adapters.http_server", "uvicorn"),
    "libraries of models": ("anthropic", "openai", "httpx2"),
    "voice": ("bot.adapters.openai.speaking", "bot.adapters.voice.hearing"),
    "tool servers": ("mcp", "anyio._backends", "jsonschema"),
    "readers, charts and maps": ("pypdf", "docx", "openpyxl", "PIL", "matplotlib", "tzfpy"),
    "the calendar": ("apscheduler", "dateparser"),
    "meaning": ("chromadb",),
    "migrations and objects of tables": ("alembic", "sqlalchemy.orm", "psycopg"),
}


@pytest.fixture(scope="module")
def loaded() -> frozenset[str]:
    look = "import sys, bot.__main__; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    return frozenset(told.stdout.split())


@pytest.mark.parametrize("part", _PARTS)
def test_the_program_is_loaded_without(part: str, loaded: frozenset[str]) -> None:
    assert "bot.flow.turn.turns" in loaded
    below = tuple(f"{name}." for name in _PARTS[part])
    assert {name for name in loaded if name in _PARTS[part] or name.startswith(below)} == set()
