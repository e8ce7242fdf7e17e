"""Two processes on one database: a plan is finalised once, approved once and carried out once."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from itertools import count
from shutil import copytree

import pytest
from sqlalchemy import text as sql

from bot.adapters.sql.moment import change_of
from bot.domain.memory.meaning import STRANGE_TEXTS
from bot.flow.money.sums import FRESH
from tests.e2e.launching import Process
from tests.e2e.planning import recorded, said, states, write
from tests.e2e.records import ServerRecords
from tests.e2e.skills import put
from tests.e2e.steward import Steward, results_in, words_in
from tests.e2e.test_meaning import embeddings
from tests.ports import free_port
from tests.standins.embeddings import Embeddings
from tests.standins.messages_api import Gate, Reply, calls, text, tool
from tests.words import APPROVE, HALTED

__all__ = ["embeddings"]
ORIGIN = "https://bot.example.org"
LOOKING = (
    "datname = current_database() AND pid <> pg_backend_pid()"
    " AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"
    " AND application_name <> 'steward bell'"
)
"""The connections by which processes own chats and look for work, as the server shows them.

The bell of a process has a lock and a connection of its own, and says something now and then.
"""


class Pair:
    """A steward and a second process of it, with a home of its own; Telegram calls one of them."""

    def __init__(self, steward: Steward, records: ServerRecords) -> None:
        self._steward = steward
        self.records = records
        self._ports = [free_port(), free_port()]
        self.hooks_port = free_port()
        """The port of the second one for calls of hooks, where they are set up."""
        self._second = steward.folder / "second"
        self._process: Process | None = None

    async def start(self) -> None:
        """Start both at once, on one database without a row."""
        steward = self._steward
        self.call(0)
        steward.settings |= {
            "STEWARD_DATABASE_URL": self.records.url,
            "TELEGRAM_WEBHOOK_URL": f"{ORIGIN}/hook",
            "TELEGRAM_WEBHOOK_SECRET": "a-secret-that-both-of-them-know",
        }
        others = {"STEWARD_HOME": str(self._second), "STEWARD_WEBHOOK_PORT": str(self._ports[1])}
        if "STEWARD_HOOKS_LISTEN" in steward.settings:
            copytree(steward.home / "hooks", self._second / "hooks")
            others["STEWARD_HOOKS_LISTEN"] = str(self.hooks_port)
        self._process = await steward.launched("run", **others)
        await steward.start(STEWARD_WEBHOOK_PORT=self._ports[0])
        # A call that was cut is made again.
        await steward.until(lambda: len(steward.telegram.calls_of("setWebhook")) >= 2)
        # One that starts late may answer for the other: by the third word both have begun.
        for words, process in enumerate((1, 0, 1), 1):
            await self.told(process, lambda: steward.say("/help"))
            await steward.eventually(partial(self._answered, words))

    async def end(self) -> None:
        """End the second one whatever it does."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    def leaves_unrouted(self, happen: Callable[[], object]) -> None:
        """Have the second one store what happens, and stop before it brings that to its chat."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        telegram = self._steward.telegram
        telegram.route(ORIGIN, f"http://127.0.0.1:{free_port()}")
        happen()
        [update] = telegram.updates.pending
        telegram.updates.drop_pending()
        with change_of(self.records.url) as connection:
            # The last word of its start came from it.
            connection.execute(
                sql(
                    "INSERT INTO inbox (channel, key, body, state, received_at, reason, owner)"
                    " SELECT channel, :key, :body, 'new', now(), '', owner FROM inbox"
                    " ORDER BY id DESC LIMIT 1"
                ),
                {"key": str(update["update_id"]), "body": json.dumps(update)},
            )

    async def told(self, process: int, happen: Callable[[], object]) -> None:
        """Have something happen of which only this process is told."""
        self.call(process)
        happen()
        await self._steward.until(lambda: not self._steward.telegram.updates.pending)

    def call(self, process: int) -> None:
        """Have Telegram call this process from now on."""
        self._steward.telegram.route(ORIGIN, f"http://127.0.0.1:{self._ports[process]}")

    def _answered(self, words: int) -> bool:
        return self.records.rows("SELECT count(*) FROM outbox") == [(words,)]

    async def waits(self, writers: int) -> None:
        """Wait until so many of them stand before the plan and cannot change it."""
        await self._steward.eventually(lambda: self.records.waiting == writers)

    async def both_look(self) -> None:
        """Wait until each of them has looked twice for work from now on.

        They look by turns for chats and for what dead processes left.
        """
        for _ in range(4):
            ((now,),) = self.records.rows("SELECT clock_timestamp()")
            await self._steward.eventually(partial(self._looked, now))

    def _looked(self, since: object) -> bool:
        found = self.records.rows(
            "SELECT count(*) FROM pg_stat_activity"
            f" WHERE {LOOKING} AND state = 'idle' AND query_start > '{since}'"
        )
        return found == [(2,)]

    @property
    def files(self) -> list[str]:
        """What the steps of plans have made, whichever process ran them."""
        folders = (self._steward.workspace, self._second / "workspace")
        return sorted(path.name for folder in folders for path in folder.iterdir())


@pytest.fixture
async def pair(own_postgres_url: str, steward: Steward) -> AsyncIterator[Pair]:
    """Both processes, started."""
    records = ServerRecords(own_postgres_url)
    steward.records = records
    pair = Pair(steward, records)
    try:
        await pair.start()
        yield pair
    finally:
        await pair.end()


async def collected(pair: Pair, steward: Steward, process: int) -> Gate:
    """Have a turn of this process collect one step, and hold it before its last word."""
    saying = Gate()
    steward.script(write("one.md"), said("The plan.").held(saying, after=1))
    await pair.told(process, lambda: steward.say("/plan one file"))
    await saying.arrived()
    return saying


def cards(steward: Steward) -> int:
    """How many cards of plans there are to be shown."""
    ((count,),) = steward.records.rows("SELECT count(*) FROM outbox WHERE key LIKE 'plan:%'")
    return count


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
async def test_of_two_processes_at_the_same_plan_one_moves_it_on(
    pair: Pair, steward: Steward
) -> None:
    # What is owed to a screen each of the two brings there, so that an edit may be repeated.
    steward.foreseen.append("message is not modified")
    saying = await collected(pair, steward, 0)
    with steward.records.locked():
        saying.release()
        await pair.waits(1)
        await pair.told(1, lambda: steward.say("/plan done"))
        await pair.waits(2)
    card = await steward.card()
    await steward.recorded()
    assert (recorded(steward, "plan.ready"), cards(steward)) == (1, 1)
    steward.script(write("one.md"), said("Done."))
    with steward.records.locked():
        await pair.told(0, lambda: steward.press(card, APPROVE))
        await pair.waits(1)
        # The second press waits until the first one is routed.
        await pair.told(1, lambda: steward.press(card, APPROVE))
    await steward.eventually(lambda: states(steward) == ["done"])
    assert recorded(steward, "plan.approved") == recorded(steward, "plan.step") == 1
    assert pair.files == ["one.md"]
    saying = await collected(pair, steward, 1)
    with steward.records.locked():
        await pair.told(0, lambda: steward.say("/plan done"))
        await pair.waits(1)
        saying.release()
        await pair.waits(2)
    await steward.eventually(lambda: steward.records.stop_reasons[-1] == "user_cancelled")
    # Both may be about to end the stopped turn: what one leaves is taken up by the next.
    await pair.end()
    await steward.restart()
    await steward.eventually(lambda: not steward.records.untidy())
    assert states(steward) == ["done", "ready"]
    assert (recorded(steward, "plan.ready"), cards(steward)) == (2, 2)


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
async def test_two_processes_have_one_memory_and_one_purse(pair: Pair, steward: Steward) -> None:
    steward.script(text("The parrot is green."))
    await pair.told(0, lambda: steward.say("Keep this about the parrot"))
    await steward.sees("The parrot is green.")
    done = "SELECT count(*) FROM passage WHERE indexed"
    await steward.eventually(lambda: steward.records.rows(done) == [(1,)])
    await pair.told(1, lambda: steward.say("/new"))
    await steward.sees("fresh start")
    steward.script(text("Green."))
    await pair.told(1, lambda: steward.say("What colour has the parrot?"))
    await steward.sees("Green.")
    assert "The parrot is green." in words_in(steward.model.requests[-1])
    # Neither knows of the other one's budget and spending but by the database.
    steward.script(text("Two."))
    await pair.told(0, lambda: steward.say("/budget person 5"))
    await steward.sees("is $5.00 a day from now on")
    await pair.told(1, lambda: steward.say("Another one"))
    await steward.sees("Two.")
    await pair.told(1, lambda: steward.say("/budget person 0.0001"))
    await steward.sees("is $0.0001 a day from now on")
    await asyncio.sleep(FRESH.total_seconds())
    await pair.told(0, lambda: steward.say("And one more"))
    await steward.sees(HALTED)
    assert len(steward.model.requests) == 3
    await steward.recorded()


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
async def test_of_two_processes_one_keeps_the_index_of_meaning_and_the_other_follows_it(
    own_postgres_url: str, embeddings: Embeddings, pair: Pair, steward: Steward
) -> None:
    steward.foreseen.append("words alone")
    done = "SELECT count(*) FROM passage WHERE meant"
    steward.script(text("The parrot is green."), text("The ladder is red."))
    await pair.told(0, lambda: steward.say("Keep this about the parrot"))
    await steward.sees("The parrot is green.")
    await steward.eventually(lambda: steward.records.rows(done) == [(1,)])
    assert "another process on this database" in steward.output
    assert embeddings.inputs.count(STRANGE_TEXTS[0]) == 1, "the other one has asked for nothing"
    await pair.end()
    await pair.told(0, lambda: steward.say("Keep this about the ladder"))
    await steward.sees("The ladder is red.")
    await steward.eventually(lambda: steward.records.rows(done) == [(2,)])
    await steward.recorded()


@pytest.fixture
def skills(own_postgres_url: str, steward: Steward) -> None:
    """The same skills in both homes, of which the list has no room for any."""
    del own_postgres_url  # It outlives the program.
    steward.settings["STEWARD_SKILL_LIST_BYTES"] = "10"
    folder = put(steward, "garage")
    (folder / "SKILL.md").write_text(
        "---\nname: garage\ndescription: Repairs an automobile.\n---\nDo it.\n"
    )
    copytree(steward.home / "skills", steward.folder / "second" / "skills")


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
@pytest.mark.usefixtures("skills")
async def test_of_two_processes_one_pays_for_a_description_and_both_find_it(
    own_postgres_url: str, embeddings: Embeddings, pair: Pair, steward: Steward
) -> None:
    steward.foreseen.append("words alone")
    done = "SELECT count(*) > 1 AND bool_and(vector IS NOT NULL) FROM description"
    await steward.eventually(lambda: steward.records.rows(done) == [(True,)])
    for process, answer in enumerate(("The first one knows.", "The second one, too.")):
        # Each has the vectors some seconds after they are there.
        for attempt in count():
            told = f"{answer} {attempt}"
            steward.script(calls(tool("find_skills", {"query": "coche"})), text(told))
            await pair.told(process, lambda: steward.say("Who repairs it?"))
            await steward.sees(told)
            if "garage" in list(results_in(steward.model.requests[-1]).values())[-1]:
                break
            await asyncio.sleep(1)
    assert embeddings.inputs.count("garage: Repairs an automobile.") == 1
    await steward.recorded()


def held(words: str) -> tuple[Gate, Reply]:
    """A reply that stops after its first word, and the gate at which it does."""
    gate = Gate()
    return gate, said(words).held(gate, after=1)


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
async def test_a_turn_of_a_process_that_died_is_finished_by_the_other_unasked(
    pair: Pair, steward: Steward
) -> None:
    gate, reply = held("Nobody reads this.")
    steward.script(reply, said("The parrot is green."))
    await pair.told(1, lambda: steward.say("What colour has the parrot?"))
    await gate.arrived()
    await pair.end()
    await steward.sees("The parrot is green.")
    assert len(steward.model.requests) == 2
    await steward.recorded()


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
async def test_an_approved_call_runs_once_though_its_process_dies_behind_it(
    pair: Pair, steward: Steward
) -> None:
    gate, reply = held("Nobody reads this.")
    steward.script(write("one.md"), reply, said("It is there."))
    await pair.told(1, lambda: steward.say("Write one file"))
    card = await steward.card()
    await pair.told(1, lambda: steward.press(card, APPROVE))
    await gate.arrived()
    await pair.end()
    await steward.sees("It is there.")
    assert len(steward.model.requests) == 3
    assert pair.files == ["one.md"]
    await steward.recorded()


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
async def test_no_process_takes_a_chat_from_a_living_one(pair: Pair, steward: Steward) -> None:
    gate, reply = held("The parrot is green.")
    steward.script(reply, said("The ladder is red."))
    await pair.told(1, lambda: steward.say("What colour has the parrot?"))
    await gate.arrived()
    await pair.told(0, lambda: steward.say("What colour has the ladder?"))
    await pair.both_look()
    assert len(steward.model.requests) == 1
    gate.release()
    await steward.sees("The parrot is green.")
    await steward.sees("The ladder is red.")
    assert len(steward.model.requests) == 2
    await steward.recorded()


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
async def test_a_message_waits_for_the_one_before_it_that_another_process_has(
    pair: Pair, steward: Steward
) -> None:
    steward.script(said("The parrot is green."), said("The ladder is red."))
    pair.leaves_unrouted(lambda: steward.say("What colour has the parrot?"))
    await pair.told(0, lambda: steward.say("What colour has the ladder?"))
    await pair.end()
    await steward.sees("The parrot is green.")
    await steward.sees("The ladder is red.")
    first, second = (words_in(request) for request in steward.model.requests)
    assert "parrot" in first
    assert "ladder" in second
    await steward.recorded()


@pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything")
@pytest.mark.postgres
async def test_a_stop_reaches_a_turn_in_another_process(pair: Pair, steward: Steward) -> None:
    gate, reply = held("Nobody reads this.")
    steward.script(reply)
    await pair.told(1, lambda: steward.say("What colour has the parrot?"))
    await gate.arrived()
    await pair.told(0, lambda: steward.say("/stop"))
    await gate.abandoned()
    await steward.eventually(lambda: steward.records.stop_reasons == ["user_cancelled"])
    assert len(steward.model.requests) == 1
    await steward.recorded()
