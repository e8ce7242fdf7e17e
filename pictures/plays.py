"""The plays: what people and the model say in each picture, to the running program."""

import textwrap
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from pictures.phone import Phone, phone
from pictures.session import Session
from pictures.window import Window, window
from tests.e2e.steward import KEY
from tests.e2e.times import Times
from tests.standins.bot_api import TOKEN, BotApi, ShownMessage
from tests.standins.messages_api import Gate, MessagesApi, Reply, calls, text, tool
from tests.standins.serving import serving
from tests.words import APPROVE, KEY_GOOD, READY, TOKEN_GOOD

_WEEK = """\
# Week 48

Mon  10:00  dentist
Tue  12:30  lunch with Ben
Fri  18:00  market
"""
_EVENING = datetime(2026, 11, 23, 19, 5, tzinfo=UTC)
_NIGHT = 12 * 3600 + 25 * 60
"""Seconds until half past seven."""

_BACKUP = """\
[backup]
folder = /srv/photos
keep   = 7 days
at     = 02:30
"""
_SHELL_COLUMNS = 50
_EXPENSES = b"""\
date,what,amount
2026-11-02,market,31.40
2026-11-05,train,18.00
2026-11-09,bakery,7.80
2026-11-16,market,44.10
"""


def _write(path: str, content: str) -> Reply:
    return calls(tool("write_file", {"path": path, "content": content}))


def _edit(path: str, old: str, new: str) -> Reply:
    return calls(tool("edit_file", {"path": path, "old_text": old, "new_text": new}))


async def _started(at: Phone) -> None:
    """Starts the program as a shell would, and waits for the line that it prints."""
    said = len(at.steward.output)
    await at.steward.start(STEWARD_LOG_LEVEL="ERROR")
    line = await at.steward.eventually(lambda: at.steward.output[said:].partition("\n")[0])
    at.shell += ["$ steward run", *textwrap.wrap(line, _SHELL_COLUMNS)]


async def _known(at: Phone) -> None:
    """Lets the program hear the name of its owner, before anything is kept."""
    await at.steward.start()
    at.steward.script(text("Hello, Ann."))
    at.steward.say("Hello")
    await at.steward.sees("Hello, Ann.")
    await at.settled()
    await at.steward.kill()
    at.clear()


async def _card(at: Phone) -> ShownMessage:
    """Waits for a card that the program knows to be on the screen."""
    card = await at.steward.card()
    await at.settled()
    return card


@asynccontextmanager
async def _talk(week: str, rows: int = 40) -> AsyncGenerator[tuple[Window, MessagesApi]]:
    """Opens a talk in a terminal with the model of the play."""
    model = MessagesApi(api_key=KEY)
    async with serving(model.app) as url:
        access = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}
        async with window("chat", rows=rows, files={"week.md": week}, environ=access) as at:
            await at.terminal.shows(READY)
            # What is typed before the prompt stands there would be seen twice.
            await at.terminal.quiet()
            yield at, model


def _screen(title: str, at: Window, poster: int = -1, header: str = "steward chat") -> Session:
    return Session(title, tuple(at.moments), header, poster, at.terminal.columns)


async def film() -> Session:
    """A card outlives `kill -9`: the old button works after the restart."""
    async with phone() as at:
        steward = at.steward
        (steward.workspace / "week.md").write_text(_WEEK)
        await _known(at)
        await _started(at)
        steward.script(_edit("week.md", "Mon  10:00", "Thu  10:00"))
        steward.say("Move the dentist in week.md to Thursday")
        at.look(1.0)
        card = await _card(at)
        at.look(3.0)
        await steward.kill()
        at.shell = ["$ kill -9 $(pgrep steward)"]
        at.look(1.8)
        await _started(at)
        at.look(1.3)
        steward.script(text("Done: the dentist is on **Thursday at 10:00** now."))
        at.look(0.9, pressed=APPROVE)
        steward.press(card, APPROVE)
        await steward.sees("Done:")
        await at.settled()
        at.look(4.0)
        title = (
            "Steward asks before it edits a file. It is killed with kill -9 and started again, "
            "and the button of the old card still works."
        )
        return Session(title, tuple(at.moments), poster=2)


async def card() -> Session:
    """A card with the exact change."""
    async with phone() as at:
        (at.steward.workspace / "backup.conf").write_text(_BACKUP)
        await at.steward.start()
        at.steward.script(_edit("backup.conf", "keep   = 7 days\n", "keep   = 30 days\n"))
        at.steward.say("Keep the backups for 30 days instead of 7")
        await _card(at)
        at.look(1)
        return Session("A card shows the exact change before it is made.", tuple(at.moments))


async def plan() -> Session:
    """A plan with its first step done."""
    async with phone() as at:
        steps = (
            _write("trip/packing.md", "- passport\n- rain coat\n- camera\n"),
            _write("trip/route.md", "Fri  Turin\nSat  Gran Paradiso\nSun  home\n"),
            _write("trip/budget.md", "Trains 120, huts 90, food 60\n"),
        )
        finished = calls(tool("submit_plan", {"title": "Weekend in the mountains", "summary": ""}))
        await at.steward.start()
        at.steward.script(Reply(tuple(b for step in steps for b in step.blocks)), finished)
        at.steward.say("/plan prepare our weekend in the mountains")
        card = await _card(at)
        at.look(2.5)
        at.look(1.0, pressed=APPROVE)
        held = Gate()
        at.steward.script(steps[0], steps[1].held(held))
        at.steward.press(card, APPROVE)
        await at.steward.sees("1 of 3 steps done")
        await held.arrived()
        at.look(1.5)
        at.steward.script(steps[2], text("All three are in the folder `trip`."))
        held.release()
        await at.steward.sees("All three are")
        await at.settled()
        at.look(3.0)
        title = "A plan of three steps is approved once, and its card shows how far it is."
        return Session(title, tuple(at.moments), poster=2)


async def schedule() -> Session:
    """A task is approved in the evening, and its first answer comes in the morning."""
    async with phone() as at:
        steward, times = at.steward, Times(at.steward)
        times.move(round((_EVENING - datetime.now(UTC)).total_seconds()))
        at.dated = True
        (steward.workspace / "week.md").write_text(_WEEK)
        await steward.start()
        task = {"when": "every weekday 07:30", "what": "What is in week.md for today?"}
        steward.script(calls(tool("schedule_task", task)), text("The first one comes tomorrow."))
        steward.say("Tell me on weekdays at 7:30 what is on")
        card = await _card(at)
        at.look(3.0)
        at.look(1.0, pressed=APPROVE)
        steward.press(card, APPROVE)
        await steward.sees("comes tomorrow")
        await at.settled()
        at.look(2.0)
        morning = "Good morning! **12:30**: lunch with Ben. Nothing else today."
        steward.script(calls(tool("read_file", {"path": "week.md"})), text(morning))
        times.move(_NIGHT)
        await steward.sees("Good morning")
        await at.settled()
        at.look(4.0)
        title = "A task for weekdays is approved once. Its first answer comes the next morning."
        return Session(title, tuple(at.moments))


async def files() -> Session:
    """A table that was sent is read and summed up."""
    async with phone() as at:
        await at.steward.start()
        at.steward.script(
            text(
                "**83.30 €** in November:\n\n| day | where | € |\n|---|---|---:|\n"
                "| 2 | market | 31.40 |\n| 9 | bakery | 7.80 |\n| 16 | market | 44.10 |\n\n"
                "I left out the train. The table is in `inbox/november.csv` if you want more of it."
            )
        )
        at.steward.telegram.send_document(
            at.steward.ann, _EXPENSES, "november.csv", caption="How much did we spend on food?"
        )
        await at.steward.sees("in November")
        await at.settled()
        at.look(1)
        return Session("A table sent to the chat is read and summed up.", tuple(at.moments))


async def group() -> Session:
    """Somebody else presses a card in a group, and is told that it is not theirs."""
    async with phone() as at:
        steward = at.steward
        ben = steward.telegram.person(43, "Ben", "ben")
        await steward.start()
        at.chat = steward.telegram.group("Flat 12", steward.ann, ben, creator=steward.ann)
        await steward.sees("Flat 12")
        at.clear()
        steward.script(_write("shopping.md", "- milk\n- lamp oil\n- cat food\n"))
        words = "@steward_bot put milk, lamp oil and cat food on the list"
        steward.telegram.say(steward.ann, words, chat=at.chat)
        group = at.chat.id
        shown = await steward.until(
            lambda: [one for one in steward.telegram.screen(group).from_bot if one.buttons]
        )
        await steward.recorded()
        notice = await steward.answered(steward.press(shown[0], APPROVE, ben))
        at.look(2.0)
        at.look(0.8, pressed=APPROVE)
        at.look(3.0, pressed=APPROVE, notice=notice)
        return Session(
            "Ben presses a card that Ann asked for, and is told who may decide.",
            tuple(at.moments),
            header="Flat 12",
        )


async def owner() -> Session:
    """The pairing link is opened, and the first wish asks before it is carried out."""
    async with phone(STEWARD_OWNERS="") as at:
        steward = at.steward
        await steward.start()
        await steward.eventually(lambda: "?start=" in steward.output)
        steward.telegram.start(steward.ann, steward.output.partition("?start=")[2].split()[0])
        await steward.sees("You own this assistant now")
        cake = "- 4 eggs\n- 250 g flour\n- 200 g sugar\n- 1 lemon\n"
        steward.script(_write("cake.md", cake))
        steward.say("Write a shopping list for a birthday cake into cake.md")
        await _card(at)
        at.look(1)
        return Session(
            "The bot welcomes its owner, and asks before it creates a file.", tuple(at.moments)
        )


async def terminal() -> Session:
    """A card in the terminal."""
    async with _talk(_WEEK) as (at, model):
        model.script.add(
            _edit("week.md", "Mon  10:00", "Thu  10:00"),
            text("Done: the dentist is on **Thursday at 10:00** now."),
        )
        at.terminal.say("move the dentist in week.md to Thursday")
        await at.terminal.shows("[y]", "and a change")
        await at.look(1)
        return _screen("A card in the terminal, with its keys.", at)


async def talk() -> Session:
    """A talk in the terminal, from the first line to the answer."""
    async with _talk(_WEEK, rows=28) as (at, model):
        model.script.add(
            _edit("week.md", "Mon  10:00", "Thu  10:00"),
            text("Done. What is left of the week:\n\n- **Thu** dentist\n- **Fri** market\n"),
        )
        await at.look(1.5)
        await at.typed("move the dentist in week.md to Thursday", 1.2)
        await at.terminal.shows("[y]", "and a change")
        await at.look(3.0)
        await at.typed("y", 0.8)
        await at.terminal.shows("What is left of the week", "• Fri market")
        await at.look(4.0)
        return _screen("A talk in the terminal: a wish, a card, a key, the answer.", at, poster=2)


async def setup() -> Session:
    """`steward setup` asks for a token, a service and its key, and tries both."""
    telegram, model = BotApi(), MessagesApi(api_key=KEY)
    async with serving(telegram.app) as bot_api, serving(model.app) as messages_api:
        environ = {"TELEGRAM_API_URL": bot_api, "ANTHROPIC_BASE_URL": messages_api}
        async with window("setup", rows=60, environ=environ) as at:
            await at.terminal.shows("Token (hidden;")
            await at.terminal.quiet()
            at.terminal.say(TOKEN)
            await at.terminal.shows(TOKEN_GOOD, "Discord token (hidden;")
            await at.terminal.quiet()
            at.terminal.say("")
            await at.terminal.shows("(Enter takes 1):")
            await at.terminal.quiet()
            at.terminal.say("")
            await at.terminal.shows("API key (hidden;")
            await at.terminal.quiet()
            at.terminal.say(KEY)
            await at.terminal.shows("Let Claude search the web?")
            await at.terminal.quiet()
            at.terminal.say("")
            await at.terminal.shows("Find answers by meaning, too?")
            await at.terminal.quiet()
            at.terminal.say("")
            await at.terminal.shows("Start now?")
            # Below it the path of the folder is told, at whose length lines break.
            await at.look(1, until=KEY_GOOD)
            return _screen(
                "steward setup asks for a token, a service and its key, and tries both.",
                at,
                header="steward setup",
            )


async def minute() -> Session:
    """The first minute with nothing set, as the README shows it."""
    async with window("run", columns=60, rows=60, environ={"NO_COLOR": "1"}) as at:
        await at.terminal.shows(READY)
        await at.terminal.quiet()
        at.terminal.say("write a note")
        await at.terminal.shows("[y]", "and a change")
        await at.terminal.quiet()
        at.terminal.say("y")
        await at.terminal.shows("The note is there")
        await at.look(1, since="> write a note", until="The note is there")
        return _screen("The first minute, without a key or a token.", at)


PLAYS: Mapping[str, Callable[[], Awaitable[Session]]] = {
    play.__name__: play
    for play in (film, card, plan, schedule, files, group, owner, terminal, talk, setup, minute)
}
"""Every play by its name, which is also that of its recording and its picture."""
