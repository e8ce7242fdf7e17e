"""A branch is read as a copy of the log would be, whatever is said in other branches."""

import asyncio
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.change import Change
from bot.domain.money.model import ModelProfile
from bot.domain.talk.message import Address
from bot.domain.turn.transcript import Body, CutBody, Entry, ReplyBody, SummaryBody
from bot.flow.log.fresh_start import branched, fresh, reopened
from bot.flow.log.history import ChatLog, History
from tests.domain.logs import logs
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore
from tests.flow.log.views import build_view

PROFILE = ModelProfile("anthropic", "one", 200_000, 8_000)
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


class Talks:
    """A chat in the store, and beside it what each conversation would hold as a copy."""

    def __init__(self) -> None:
        self._clock = FakeClock()
        self._store = MemoryStore(self._clock.now)
        self._history = History(self._store.journal, self._clock)
        self._turns = 0
        self.copies: dict[str, list[Entry]] = {}

    async def start(self) -> None:
        self._id = (await self._store.chats.at(Address("fake", "1"), private=True)).id
        self.copies[(await self._store.chats.get(self._id)).conversation] = []

    async def log(self) -> ChatLog:
        while (log := await self._history.own(await self._store.chats.get(self._id))) is None:
            pass
        await log.read(log.chat.conversation)
        return log

    async def say(self, bodies: list[Body]) -> None:
        log = await self.log()
        self._turns += 1
        self.copies[log.conversation].extend(await log.write(f"t{self._turns}", bodies))

    def forget(self) -> None:
        """Drops what is held in memory, as a restart does."""
        self._history.forget(self._id)

    async def leave(self, *, branch: bool) -> None:
        chat = await self._store.chats.get(self._id)
        current = await self._store.chats.conversation(chat.id, chat.conversation)
        assert current is not None
        if branch:
            new, writes = branched(chat, current, "", self._clock.now())
            self.copies[new.id] = [*self.copies[chat.conversation]]
        else:
            moved, writes = fresh(chat, self._clock.now())
            self.copies[moved.conversation] = []
        await self._store.journal.commit(Change(writes))

    async def open(self, number: int) -> None:
        chat = await self._store.chats.get(self._id)
        wanted = await self._store.chats.conversation(
            chat.id, list(self.copies)[number % len(self.copies)]
        )
        current = await self._store.chats.conversation(chat.id, chat.conversation)
        assert wanted is not None
        await self._store.journal.commit(Change(reopened(chat, current, wanted, self._clock.now())))

    async def holds(self) -> None:
        """Every conversation is read as its copy; the open one is in view as its copy."""
        for of, copy in self.copies.items():
            assert list(await self._store.journal.entries(of)) == copy
        log = await self.log()
        copy = self.copies[log.conversation]
        assert list(log.entries()) == copy
        assert log.fold(PROFILE, 20, 0).view() == build_view(copy, PROFILE)


@st.composite
def steps(draw: st.DrawFn) -> list[str | int | list[Body]]:
    turns = logs(turns=1, cuts=False).map(lambda log: [entry.body for entry in log])
    cuts = st.sampled_from(["summary", "cut"])
    step = turns | cuts | st.sampled_from(["branch", "branch", "new"]) | st.integers(0, 5)
    return draw(st.lists(step, min_size=3, max_size=10))


@settings(max_examples=60, deadline=None)
@given(steps())
def test_a_branch_is_read_as_a_copied_log(todo: list[str | int | list[Body]]) -> None:
    async def run() -> None:
        talks = Talks()
        await talks.start()
        for step in todo:
            match step:
                case int():
                    await talks.open(step)
                case "branch" | "new":
                    await talks.leave(branch=step == "branch")
                case "summary":
                    end = (await talks.log()).end
                    await talks.say([SummaryBody(end, "So far.")])
                case str():
                    await talks.say([CutBody((), 0)])
                case bodies:
                    await talks.say(bodies)
            await talks.holds()
        talks.forget()
        await talks.holds()
        log = await talks.log()
        said = (e.body for e in talks.copies[log.conversation] if isinstance(e.body, ReplyBody))
        assert log.call_ids == {call.id for body in said for call in body.calls}

    asyncio.run(run())
