"""Talks to be read on every channel: what a person and the model say, whatever the screen is."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from tests.standins.messages_api import Call, Gate, Reply, calls, failure, text, tool

NOTES = "milk\nbread\ncall Ben\npay the rent\nwater the plants\ntrain at nine\n"
TABLE = """\
## What it costs

Here is what I found. The train is the cheapest way, and it is the quickest one, too.

| Way | Price | Time |
|---|--:|--:|
| Train | 24 € | 1 h 10 min |
| Bus | 31 € | 2 h 05 min |
| Car | 58 € | 1 h 40 min |

```python
def total(people: int) -> int:
    return 24 * people  # there and back
```

- Book **before Friday**: the price goes up.
- The last train back leaves at `21:47`.
"""


class Screen(Protocol):
    """One person at a screen, and the model behind the program."""

    def script(self, *replies: Reply) -> None:
        """Adds the next replies of the model."""
        ...

    async def say(self, words: str) -> None:
        """Sends a message, and waits until nothing moves any more."""
        ...

    async def press(self, label: str) -> None:
        """Presses the newest button whose label begins so."""
        ...

    async def reply(self, words: str) -> None:
        """Answers the newest card in words."""
        ...


def write(path: str, content: str) -> Call:
    return tool("write_file", {"path": path, "content": content})


async def first(at: Screen) -> None:
    for words in ("/start", "/help", "/help all", "/status", "/tools", "/foo"):
        await at.say(words)


async def one_card(at: Screen) -> None:
    at.script(text("I write it down.") + calls(write("list.md", "- milk\n")), text("It is there."))
    await at.say("Make a shopping list with milk")
    await at.press("✅ Approve")


async def a_difference(at: Screen) -> None:
    edit = {"path": "notes.md", "old_text": "pay the rent", "new_text": "pay the rent on Monday"}
    at.script(calls(tool("edit_file", edit)), text("Then I leave it."))
    await at.say("Pay the rent on Monday")
    await at.reply("Tuesday is better")


async def words_at_a_card(at: Screen) -> None:
    at.script(calls(write("a.md", "one\n")), text("It would write one line."), text("Well then."))
    await at.say("Write a file")
    await at.reply("yes")
    await at.reply("what exactly will it write?")
    await at.say("/approvals")
    await at.press("❌ Deny")


async def a_round(at: Screen) -> None:
    three = calls(*(write(f"{name}.md", f"{name}\n") for name in "abc"))
    at.script(three, text("Two are there, one is not."))
    await at.say("Make three files")
    await at.press("✅ Approve")
    await at.press("❌ Deny")
    await at.press("✅ Approve")


async def all_of_a_round(at: Screen) -> None:
    three = calls(*(write(f"{name}.md", f"{name}\n") for name in "abc"))
    at.script(three, text("All three are there."))
    await at.say("Make three files")
    await at.press("✅ Approve all")


async def a_command(at: Screen) -> None:
    at.script(calls(tool("run_command", {"command": "rm -rf build"})), text("I did not run it."))
    await at.say("Clean up")
    await at.press("❌ Deny")


async def a_rule(at: Screen) -> None:
    at.script(calls(write("notes/a.md", "a\n")), text("Done."))
    at.script(calls(write("notes/b.md", "b\n")), text("Done, too."))
    await at.say("Note a")
    await at.press("🔁 Always write documents in")
    await at.say("Note b")
    await at.say("/rules")


async def nothing_to_stop(at: Screen) -> None:
    await at.say("/stop")
    await at.say("/approvals")
    await at.say("/plan status")
    await at.say("/plan cancel")


async def stop_at_a_card(at: Screen) -> None:
    at.script(calls(write("a.md", "one\n")))
    await at.say("Write a file")
    await at.say("/stop")


async def stop_by_button(at: Screen) -> None:
    at.script(calls(write("a.md", "one\n")))
    await at.say("Write a file")
    await at.press("⏹ Stop")


async def stop_a_queue(at: Screen) -> None:
    at.script(text("I think.").held(Gate()), text("Here is two."), text("Here is three."))
    await at.say("One")
    await at.say("Two")
    await at.say("Three")
    await at.say("/stop")


async def set_aside(at: Screen) -> None:
    at.script(calls(write("a.md", "one\n")), text("Four."), text("It is written."))
    await at.say("Write a file")
    await at.say("And what is two and two?")
    await at.say("/approvals")
    await at.say("/stop")


async def a_plan(at: Screen) -> None:
    steps = (write("trip/list.md", "- boots\n"), write("trip/way.md", "Fri Turin\n"))
    at.script(calls(*steps, tool("submit_plan", {"title": "A trip", "summary": "Two files."})))
    at.script(calls(steps[0]), calls(steps[1]), text("Both files are there."))
    await at.say("/plan prepare a trip")
    await at.press("✅ Approve")
    await at.say("/plan list")


async def a_plan_that_fails(at: Screen) -> None:
    gone = tool("edit_file", {"path": "gone.md", "old_text": "a", "new_text": "b"})
    steps = (write("one.md", "1\n"), gone, write("three.md", "3\n"))
    at.script(calls(*steps, tool("submit_plan", {"title": "Three things", "summary": ""})))
    at.script(calls(steps[0]), calls(steps[1]), calls(steps[2]), text("Done but for the second."))
    await at.say("/plan three things")
    await at.press("✅ Approve")
    await at.press("⏭ Skip")


async def a_plan_left(at: Screen) -> None:
    at.script(calls(write("a.md", "1\n"), tool("submit_plan", {"title": "A file", "summary": ""})))
    await at.say("/plan")
    await at.say("/plan on")
    await at.say("make a file")
    await at.say("/stop")


async def a_question(at: Screen) -> None:
    asked = {"message": "Which day suits you?", "is_question": True, "choices": ["Mon", "Tue"]}
    at.script(calls(tool("send_message", asked)), text("Monday it is."))
    await at.say("Book a table")
    await at.press("Mon")


async def a_wrong_key(at: Screen) -> None:
    at.script(failure(401, "invalid x-api-key"))
    await at.say("Hello")


async def a_busy_model(at: Screen) -> None:
    at.script(*(failure(529) for _ in range(8)))
    await at.say("Hello")


async def an_answer(at: Screen) -> None:
    at.script(text(TABLE))
    await at.say("What does the trip cost?")
    await at.say("/footer on")
    at.script(calls(tool("read_file", {"path": "notes.md"})), text("Six lines."))
    await at.say("How long is my list?")


async def calls_shown(at: Screen) -> None:
    log = "".join(f"line {n}: nothing to see here\\n" for n in range(40))
    first = calls(tool("read_file", {"path": "notes.md"}), tool("list_files", {}))
    run = tool("run_command", {"command": f"printf '{log}'; ls nowhere"})
    at.script(first, calls(run), text("Six lines, and a folder that is not there."))
    await at.say("/verbose on")
    await at.say("Look around and run it")
    await at.press("✅ Approve")
    await at.say("/verbose")


async def why_so(at: Screen) -> None:
    look = tool("read_file", {"path": "week.md"})
    at.script(
        calls(look, write("week.md", NOTES), tool("run_command", {"command": "rm -rf build"})),
        text("The week is noted."),
    )
    await at.say("Note my week")
    await at.press("✅ Approve")
    await at.press("❌ Deny")
    await at.say("/why")


async def slips(at: Screen) -> None:
    at.script(text("What do you want to plan?"))
    for words in (
        "/plan frobnicate now",
        "/skill nosuch",
        "/skills",
        "/model openai/gpt-5",
        "/model",
        "/allow",
        "/rights",
        "/queue",
        "/long",
        "/rules remove 9",
    ):
        await at.say(words)


async def memory(at: Screen) -> None:
    at.script(calls(tool("remember", {"note": "Ann drinks tea."})), text("I will remember it."))
    await at.say("I drink tea")
    for words in ("/memory", "/about I like short answers.", "/about", "/new", "/context"):
        await at.say(words)


async def money(at: Screen) -> None:
    for words in ("/usage", "/budget", "/budget message 2", "/people", "/timezone", "/voice"):
        await at.say(words)


async def the_same_again(at: Screen) -> None:
    look = calls(tool("read_file", {"path": "gone.md"}))
    at.script(*(look for _ in range(5)), text("I cannot find it."))
    await at.say("Read gone.md")


async def a_task(at: Screen) -> None:
    for words in ("/tasks", "/schedule tea", "/schedule every blue moon | tea"):
        await at.say(words)
    await at.say("/schedule every weekday 09:00 | What is new in the garden? Three lines.")
    for words in ("/tasks", "/tasks 2", "/tasks 1"):
        await at.say(words)
    await at.press("⏸ Pause")
    await at.press("✏ Edit")
    await at.press("◂ Back")
    await at.press("🗑 Delete")
    await at.press("🗑 Delete")


async def looking_back(at: Screen) -> None:
    at.script(text("It flowers in May."), text("In May, as I said."))
    await at.say("When does the lilac flower?")
    await at.say("/memory lilac")
    await at.say("/memory submarine")
    await at.say("/forget")
    await at.say("/forget conversation")
    await at.press("🗑")


async def helpers(at: Screen) -> None:
    sent = calls(*(tool("delegate", {"task": name}) for name in ("Read one", "Read two")))
    at.script(sent, text("The first is done."), text("The second is done."), text("Both are done."))
    await at.say("Do two things side by side")


async def a_limit(at: Screen) -> None:
    look = (calls(tool("list_files", {"path": f"{n}"})) for n in range(2))
    at.script(*look, failure(500, "the server fell over"), text("Here I am again."))
    at.script(*(failure(400, "messages.3: unexpected block") for _ in range(3)))
    await at.say("Look around")
    await at.say("Hello?")


TALKS: dict[str, Callable[[Screen], Awaitable[None]]] = {
    talk.__name__: talk
    for talk in (
        first,
        one_card,
        a_difference,
        words_at_a_card,
        a_round,
        all_of_a_round,
        a_command,
        a_rule,
        nothing_to_stop,
        stop_at_a_card,
        stop_by_button,
        stop_a_queue,
        set_aside,
        a_plan,
        a_plan_that_fails,
        a_plan_left,
        a_question,
        a_wrong_key,
        a_busy_model,
        an_answer,
        calls_shown,
        why_so,
        slips,
        memory,
        money,
        the_same_again,
        a_task,
        looking_back,
        helpers,
        a_limit,
    )
}
"""The talks by name; each begins in an empty chat."""
