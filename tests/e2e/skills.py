"""Skills in a steward's home, and what the database knows of their work."""

from pathlib import Path

from tests.e2e.steward import Steward
from tests.standins.messages_api import Reply, calls, thinking, tool


def put(steward: Steward, name: str, head: str = "", body: str = "") -> Path:
    """Write a skill into the home."""
    folder = steward.home / "skills" / name
    folder.mkdir(parents=True, exist_ok=True)
    words = body or f"Do as {name} does."
    text = f"---\nname: {name}\ndescription: Does {name}.\n{head}---\n{words}\n"
    (folder / "SKILL.md").write_text(text)
    return folder


def pipeline(steward: Steward) -> None:
    """Two skills, of which the second goes on with the text of the first."""
    put(steward, "facts", "next_skill: story\n")
    put(steward, "story")


def use(name: str) -> Reply:
    return thinking("That one fits.") + calls(tool("use_skill", {"name": name, "reason": "fits"}))


def turns(steward: Steward) -> list[tuple[str | None, str | None, int]]:
    """How each turn ended, under which skill, and after how many stages before that one."""
    rows = steward.records.rows("SELECT stop_reason, skill, stages FROM turn ORDER BY created_at")
    return [(reason, skill, stages) for reason, skill, stages in rows]


def handed_over(steward: Steward) -> list[str]:
    """The skills whose text another one went on with."""
    return [body["after"] for body in steward.records.bodies("skill") if body["after"]]
