"""What tests of plans say as the model, and what they look at afterwards."""

from tests.e2e.steward import Steward
from tests.standins.bot_api import ShownMessage
from tests.standins.messages_api import Reply, calls, text, thinking, tool


def write(*names: str) -> Reply:
    """A reply that wants to write these files, each with its own name as content."""
    return thinking("Files.") + calls(
        *(tool("write_file", {"path": name, "content": name}) for name in names)
    )


def submit(title: str = "Two files") -> Reply:
    return calls(tool("submit_plan", {"title": title, "summary": "They will be there."}))


def said(words: str) -> Reply:
    return thinking("Well.") + text(words)


def edits_may_repeat(steward: Steward) -> None:
    """An edit whose record a kill takes away is made again, and refused as no change."""
    steward.foreseen.append("message is not modified")


def files(steward: Steward) -> set[str]:
    return {path.name for path in steward.workspace.iterdir()}


def steps(steward: Steward) -> list[str]:
    """What became of each step, as the database has it."""
    found = steward.records.rows("SELECT state FROM plan_step ORDER BY revision, number")
    return [state for (state,) in found]


def states(steward: Steward) -> list[str]:
    """What became of each plan, oldest first."""
    found = steward.records.rows("SELECT state FROM plan ORDER BY created_at")
    return [state for (state,) in found]


def recorded(steward: Steward, action: str) -> int:
    """How many lines of the record tell of this."""
    ((count,),) = steward.records.rows("SELECT count(*) FROM audit WHERE action = ?", action)
    return count


async def offering(steward: Steward, label: str) -> ShownMessage:
    """The card that has this button now."""
    found = await steward.until(
        lambda: [c for c in steward.cards if any(one.startswith(label) for one in c.labels)]
    )
    return found[0]
