"""One database, and processes that share the work by roles: people notice nothing of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import httpx
import pytest

from tests.e2e.browser import LINK, Browser, browser
from tests.e2e.launching import Process
from tests.e2e.records import ServerRecords
from tests.e2e.steward import Steward
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.bot_api import BotApi, Rates
from tests.standins.messages_api import Gate, calls, text, tool
from tests.standins.serving import serving
from tests.words import APPROVE

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.timeout(300),
    pytest.mark.telegrams_own("who polls, and who sends, is the same question on each platform"),
]

_CHATS = 80
_DRAFTS = ("sendMessageDraft", "sendRichMessageDraft")


class Company:
    """Processes on one database, each with a home of its own and one workspace for all."""

    def __init__(self, steward: Steward, url: str) -> None:
        self._steward = steward
        self.processes: dict[str, Process] = {}
        steward.records = ServerRecords(url)
        steward.settings |= {
            "STEWARD_DATABASE_URL": url,
            "STEWARD_WORKSPACE": str(steward.workspace),
        }

    async def join(self, name: str, *roles: str, **settings: str) -> None:
        """Have one more process work."""
        self.processes[name] = await self._steward.launched(
            "run",
            *(word for role in roles for word in ("--role", role)),
            STEWARD_HOME=str(self._steward.folder / name),
            **settings,
        )

    async def leave(self, name: str, *, orderly: bool = False) -> int:
        """Have a process end; its exit code."""
        process = self.processes.pop(name)
        with suppress(ProcessLookupError):
            (process.terminate if orderly else process.kill)()
        return await process.wait()

    async def knows_of(self, processes: int) -> None:
        """Wait until so many listen to the bell."""
        wanted = [(processes,)]
        await self._steward.eventually(
            lambda: (
                self._steward.records.rows(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    " AND application_name = 'steward bell'"
                )
                == wanted
            )
        )


@pytest.fixture
async def company(own_postgres_url: str, steward: Steward) -> AsyncIterator[Company]:
    """A process that receives, two that work, and one for all the rest."""
    company = Company(steward, own_postgres_url)
    try:
        await steward.start(STEWARD_ROLE="receive")
        await company.join("first", "work")
        await company.join("second", "work")
        await company.join("rest", "deliver", "schedule", "web")
        await company.knows_of(4)
        yield company
    finally:
        for name in [*company.processes]:
            await company.leave(name)


async def test_words_cards_stops_and_commands_reach_whoever_has_the_chat(
    company: Company, steward: Steward
) -> None:
    steward.script(text("The parrot is green."))
    steward.say("What colour has the parrot?")
    await steward.sees("The parrot is green.")

    write = tool("write_file", {"path": "one.md", "content": "one"})
    steward.script(calls(write), text("It is there."))
    steward.say("Write one file")
    card = await steward.card()
    steward.press(card, APPROVE)
    await steward.sees("It is there.")
    assert (steward.workspace / "one.md").read_text() == "one"

    held = Gate()
    steward.script(text("Nobody reads this.").held(held, after=1))
    steward.say("What colour has the ladder?")
    await held.arrived()
    steward.say("/stop")
    await held.abandoned()
    await steward.eventually(lambda: steward.records.stop_reasons[-1] == "user_cancelled")

    steward.say("/help")
    await steward.sees("/stop")
    await steward.recorded()
    assert len(steward.model.requests) == 4


async def test_who_polls_delivers_or_works_may_die_and_another_one_goes_on(
    company: Company, steward: Steward
) -> None:
    steward.foreseen += ["terminated by other getUpdates", "Conflict"]
    await company.join("heir", "receive", "deliver")
    await company.knows_of(5)
    steward.script(text("The parrot is green."))
    steward.say("What colour has the parrot?")
    await steward.sees("The parrot is green.")
    await steward.kill()
    ((stored,),) = steward.records.rows("SELECT position FROM stream")
    before = len(steward.telegram.calls_of("getUpdates"))
    steward.script(text("The ladder is red."))
    steward.say("What colour has the ladder?")
    await steward.sees("The ladder is red.")
    first = steward.telegram.calls_of("getUpdates")[before]
    assert str(first.params["offset"]) == stored, "it goes on where the other one stopped"

    await company.leave("rest")
    steward.script(text("The chair is blue."))
    steward.say("What colour has the chair?")
    await steward.sees("The chair is blue.")

    held = Gate()
    steward.script(text("Nobody reads this.").held(held, after=1), text("The wall is white."))
    steward.say("What colour has the wall?")
    await held.arrived()
    for name in ("first", "second"):
        await company.leave(name)
    await company.join("third", "work")
    await steward.sees("The wall is white.")
    await steward.recorded()
    shown = [one.text for one in steward.shown]
    assert len(shown) == len({*shown}), "nothing is doubled"


async def test_one_of_two_receivers_polls_and_a_lost_connection_ends_its_poll(
    company: Company, steward: Steward
) -> None:
    """A poll that overlaps another one would be a conflict, which nobody foresees here."""
    await company.join("other", "receive")
    await company.knows_of(5)
    for colour in ("green", "red", "blue"):
        steward.script(text(f"The parrot is {colour}."))
        steward.say(f"Is the parrot {colour}?")
        await steward.sees(f"The parrot is {colour}.")
        polls = _polls(steward)
        steward.records.rows(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'steward bell'"
        )
        # Whoever has the post after that begins a poll of its own.
        await steward.until(lambda since=polls: _polls(steward) > since)
        await company.knows_of(5)
    assert "Conflict" not in steward.output


def _polls(steward: Steward) -> int:
    return len(steward.telegram.calls_of("getUpdates"))


async def test_the_rates_hold_when_another_process_goes_on_with_the_delivery(
    own_postgres_url: str, steward: Steward
) -> None:
    telegram, company = steward.telegram, Company(steward, own_postgres_url)
    people = [telegram.person(number) for number in range(1000, 1000 + _CHATS)]
    allowed = ",".join(f"telegram:{person.id}" for person in people)
    rates = {"STEWARD_ALLOWED": allowed, "STEWARD_SEND_RATES": "chat=1,group=20/min,all=30"}
    telegram.rates = Rates()
    steward.model.script.rule(lambda _: text("An answer."))
    try:
        await steward.start(STEWARD_ROLE="receive,work,schedule,web", **rates)
        await company.join("first", "deliver", **rates)
        steward.say("Hello")
        await steward.sees("An answer.")
        await company.join("heir", "deliver", **rates)
        await company.knows_of(3)
        before = len(telegram.calls_of("sendMessage"))
        for person in people:
            telegram.private_chat(person)
            telegram.say(person, "Hello")
        # It dies when the platform has just had as many messages as it takes in a second.
        await steward.until(lambda: len(telegram.calls_of("sendMessage")) >= before + 30)
        await company.leave("first")
        await steward.until(lambda: all(_answers(telegram, person.id) for person in people))
        await steward.recorded()
        assert telegram.floods == 0
    finally:
        for name in [*company.processes]:
            await company.leave(name)


def _answers(telegram: BotApi, chat: int) -> list[str]:
    return [one.text for one in telegram.screen(chat).from_bot if one.text == "An answer."]


async def test_a_rolling_restart_of_the_workers_is_not_noticed(
    company: Company, steward: Steward
) -> None:
    held = Gate()
    steward.script(text("The parrot is green.").held(held, after=1))
    # Each worker that leaves may have asked.
    steward.model.script.rule(lambda _: text("The parrot is green."))
    steward.say("What colour has the parrot?")
    await held.arrived()
    for name in ("first", "second"):
        assert await company.leave(name, orderly=True) == 0
        await company.join(f"{name} anew", "work")
        await company.knows_of(4)
    held.release()
    await steward.sees("The parrot is green.")
    await steward.recorded()
    assert len(steward.showing("The parrot is green.")) == 1


async def test_drafts_typing_and_reactions_of_a_worker_are_sent_by_the_one_that_delivers(
    company: Company, steward: Steward
) -> None:
    team = steward.team()
    for name in ("first", "second"):
        await company.leave(name)
    aside = BotApi()
    async with serving(aside.app) as there:
        # A platform of its own shows what the worker sends by itself.
        await company.join("third", "work", TELEGRAM_API_URL=there)
        await company.knows_of(3)
        held, again = Gate(), Gate()
        whole = text("The parrot is green.")
        steward.script(whole.in_pieces(4).held(held, after=4))
        steward.say("What colour has the parrot?")
        await held.arrived()
        await steward.until(lambda: steward.telegram.calls_of(*_DRAFTS))
        await steward.until(lambda: steward.telegram.calls_of("setMessageReaction"))
        held.release()
        await steward.sees("The parrot is green.")

        steward.script(whole.in_pieces(4).held(again, after=4))
        steward.call("What colour has the parrot?", at=team)
        await steward.until(lambda: steward.telegram.calls_of("sendChatAction"))
        [grows] = await steward.until(lambda: [m for m in steward.screen(team) if m.silent])
        again.release()
        answer = await steward.sees("The parrot is green.", at=team)
        await steward.until(lambda: grows.id not in [m.id for m in steward.screen(team)])
        assert answer.id in [m.id for m in steward.screen(team)]
        await steward.recorded()
        assert {call.method for call in aside.calls} <= {"getMe"}


async def test_a_role_on_sqlite_is_refused_in_a_sentence(steward: Steward) -> None:
    code, told = await steward.printed_by("run", "--role", "work")
    assert code == 2
    assert "With SQLite one process does all the work" in told
    steward.script(text("All of it."))
    await steward.start(STEWARD_ROLE="all")
    steward.say("What do you do?")
    await steward.sees("All of it.")


async def test_a_card_that_another_process_decides_leaves_an_open_page_at_once(
    own_postgres_url: str, steward: Steward
) -> None:
    company = Company(steward, own_postgres_url)
    steward.settings["STEWARD_WEB_PORT"] = str(free_port())
    await steward.start(STEWARD_ROLE="receive,work,deliver,schedule")
    await company.join("page", "web")
    await company.knows_of(2)
    steward.say("/login")
    link = LINK.search((await steward.sees("Open this link in your browser")).text)
    assert link is not None
    origin, code = link.groups()
    await steward.eventually(lambda: answers(origin))
    async with browser(origin) as page:
        assert (await page.enter(code)).status_code == 303
        for name in ("one.md", "two.md", "three.md"):
            write = tool("write_file", {"path": name, "content": name})
            steward.script(calls(write), text(f"There is {name}."))
            steward.say(f"Write {name}")
            assert await _looks(page, lambda shown, name=name: name in shown)
            steward.press(await steward.card(about=name), APPROVE)
            assert await _looks(page, lambda shown: "Nothing waits for you" in shown)
            await steward.sees(f"There is {name}.")
        # What grows on the phone grows on a page that another process serves.
        gate = Gate()
        async with page.listening("/chat/telegram:42") as heard:
            await heard.until(lambda one: one.events)
            steward.script(text("It grows there.").in_pieces(4).held(gate, after=5))
            steward.say("A question")
            await heard.hears("It grows", "draft")
            gate.release()
            await heard.hears("It grows there.")
    assert await company.leave("page", orderly=True) == 0


async def _looks(page: Browser, wanted: Callable[[str], bool]) -> bool:
    """Looks again as an open page does, until it shows what is wanted.

    False where it was made anew because 30 s were over, and not because somebody had rung.
    """
    tag, prefer = "", {"prefer": "wait"}
    async with asyncio.timeout(PATIENCE):
        while True:
            part = await page.get("/cards/part", **prefer, **{"if-none-match": tag})
            assert part.status_code in (200, 204)
            if part.status_code == 200:
                before, tag = tag, part.headers["etag"]
                if wanted(part.text):
                    # A tag is the number of changes that were heard of, and a part of the clock.
                    return tag.partition("-")[0] != before.partition("-")[0]


def answers(origin: str) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"{origin}/enter").status_code == 200
    return False
