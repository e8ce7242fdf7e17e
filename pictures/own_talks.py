"""Talks about what belongs to a person: notes, goals, skills and what they trust."""

from collections.abc import Awaitable, Callable

from pictures.talks import Screen, write
from tests.standins.messages_api import calls, text, tool


async def a_note_undone(at: Screen) -> None:
    at.script(calls(tool("remember", {"note": "Ann drinks tea."})), text("I will remember it."))
    at.script(calls(tool("remember", {"note": "Ann has a cat."})), text("That, too."))
    await at.say("I drink tea")
    await at.press("↩ Undo")
    await at.say("I have a cat")
    await at.say("/memory")
    await at.press("1")
    await at.press("✏ Change")
    await at.reply("Ann has two cats.")
    await at.say("/memory 1")
    await at.press("🗑 Delete")
    await at.press("🗑 Delete")
    await at.say("/memory")
    await at.say("/export")


async def a_goal(at: Screen) -> None:
    at.script(text("First I read what is there."))
    await at.say("/goal")
    await at.say("/goal learn to sail by summer")
    await at.say("/goals limit until 2027-06-21")
    await at.say("/goals")
    await at.press("▶ Start")
    await at.say("/goals")


async def trust(at: Screen) -> None:
    for words in (
        "/rules",
        "/rules trust",
        "/rules trust https://docs.example",
        "/rules trust nonsense",
        "/rules",
        "/rules remove 1",
        "/rules",
    ):
        await at.say(words)


async def a_skill(at: Screen) -> None:
    at.script(calls(tool("use_skill", {"name": "tidy-csv"}), write("a.csv", "a,b\n")))
    at.script(text("It is tidy."))
    await at.say("/skill")
    await at.say("Tidy my table")
    await at.press("✅ Approve")
    await at.say("/skill tidy-csv")
    await at.say("/skill off")


async def second_thoughts(at: Screen) -> None:
    at.script(calls(write("a.md", "one\n")), text("It is written."), text("Two lines, then."))
    at.script(text("Three."))
    for words in ("/undo", "/retry", "/feedback", "/branch", "/conversations", "/title"):
        await at.say(words)
    await at.say("Write a file")
    await at.press("✅ Approve")
    await at.say("/feedback good")
    await at.say("/branch another way")
    await at.say("/conversations")
    await at.say("/title The file")
    await at.say("/undo files")
    await at.say("/retry")
    await at.say("/compact")
    await at.say("/undo")
    await at.say("/undo")
    await at.say("/compact")


TALKS: dict[str, Callable[[Screen], Awaitable[None]]] = {
    talk.__name__: talk for talk in (a_note_undone, a_goal, trust, a_skill, second_thoughts)
}
