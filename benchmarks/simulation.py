"""Simulates processes that share one PostgreSQL: lanes, rings, rates of sending, and deaths."""

import random
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import simpy

_Steps: TypeAlias = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True)
class Setup:
    """Processes that are simulated; all times are in seconds.

    `receiving`, `working`, `delivering` and `serving` are the processor time of one turn where it
    is received, where it is carried out, where it is sent, and in the database. `refusing` is that
    of the database for one worker that comes too late for a chat.
    """

    workers: int
    machines: int
    """Machines that the workers are spread over; the other processes are on the first one."""
    cores: int
    """Cores of each machine."""
    server_cores: int
    """Cores of the database; 0 when it is on the first machine."""
    bots: int
    rate: float
    """Messages that a bot may send in a second; 0 for any number."""
    thinking: float
    receiving: float
    working: float
    delivering: float
    serving: float
    refusing: float
    ring: float
    """From a commit to the moment when others hear of it."""
    look: float
    """Between two looks at what nobody was rung for."""
    away: float
    """From the death of a worker until another one serves in its place."""
    starting: float = 0.0
    """The processor time of the start of a worker."""


class Message(NamedTuple):
    """A message that is written at a time, in seconds from the start."""

    at: float
    chat: int


class Death(NamedTuple):
    """The end of a worker."""

    at: float
    worker: int


@dataclass(slots=True)
class Outcome:
    """The end of all messages; `waits` are beside the time that the model took."""

    waits: list[float] = field(default_factory=list[float])
    seconds: float = 0.0
    """Until the last answer."""
    served: float = 0.0
    """Seconds of processor time of the database."""
    taken_over: int = 0
    """Turns whose worker died."""


def poisson(turns: float, chats: int, seconds: float, chance: random.Random) -> list[Message]:
    """Writes so many messages a second, each in any of the chats."""
    written, at = list[Message](), 0.0
    while (at := at + chance.expovariate(turns)) < seconds:
        written.append(Message(at, chance.randrange(chats)))
    return written


def simulated(
    setup: Setup, messages: Sequence[Message], deaths: Sequence[Death], chance: random.Random
) -> Outcome:
    """Returns what becomes of the messages."""
    company = _Company(setup, chance)
    for message in messages:
        company.env.process(company.receive(message))
    for death in deaths:
        company.env.process(company.die(death))
    while len(company.outcome.waits) < len(messages):
        company.env.step()
    company.outcome.seconds = company.env.now
    return company.outcome


class _Company:
    """The processes, the chats they work on, and what they share."""

    def __init__(self, setup: Setup, chance: random.Random) -> None:
        self.env = simpy.Environment()
        self.outcome = Outcome()
        self._setup = setup
        self._chance = chance
        self._machines = [
            simpy.Resource(self.env, capacity=setup.cores) for _ in range(setup.machines)
        ]
        self._door = self._machines[0]
        self._server = (
            simpy.Resource(self.env, capacity=setup.server_cores)
            if setup.server_cores
            else self._door
        )
        self._bots = [simpy.Resource(self.env) for _ in range(setup.bots)]
        self._living = [*range(setup.workers)]
        self._lanes: dict[int, deque[Message]] = {}
        self._drains: dict[int, tuple[int, simpy.Process]] = {}
        """The worker and the drain of each chat that is worked on."""

    def receive(self, message: Message) -> _Steps:
        yield self.env.timeout(message.at)
        yield from self._use(self._door, self._setup.receiving)
        self._lanes.setdefault(message.chat, deque()).append(message)
        yield self.env.timeout(self._setup.ring)
        if message.chat not in self._drains:
            self.env.process(self._refuse())
            self._take(message.chat)

    def die(self, death: Death) -> _Steps:
        yield self.env.timeout(death.at)
        if death.worker not in self._living:
            return
        self._living.remove(death.worker)
        for chat, (worker, drain) in [*self._drains.items()]:
            if worker == death.worker:
                del self._drains[chat]
                self.outcome.taken_over += 1
                drain.interrupt()
                self.env.process(self._find(chat))
        machine = self._machines[death.worker % len(self._machines)]
        yield from self._use(machine, self._setup.starting)
        yield self.env.timeout(max(0.0, death.at + self._setup.away - self.env.now))
        self._living.append(death.worker)

    def _take(self, chat: int) -> None:
        """Lets the first worker that hears of a chat work on it."""
        if not self._living:
            self.env.process(self._find(chat))
            return
        worker = self._chance.choice(self._living)
        self._drains[chat] = (worker, self.env.process(self._drain(worker, chat)))

    def _find(self, chat: int) -> _Steps:
        """Has the looks of the workers find a chat that nobody was rung for."""
        workers = max(1, len(self._living))
        yield self.env.timeout(self._setup.look * self._chance.random() / workers)
        if self._lanes[chat] and chat not in self._drains:
            self._take(chat)

    def _refuse(self) -> _Steps:
        """Has the database refuse all others that have heard the ring."""
        late = max(0, len(self._living) - 1)
        yield from self._serve(late * self._setup.refusing)

    def _drain(self, worker: int, chat: int) -> _Steps:
        machine, setup = self._machines[worker % len(self._machines)], self._setup
        lane = self._lanes[chat]
        try:
            while lane:
                yield from self._serve(setup.serving / 2)
                yield from self._use(machine, setup.working / 2)
                yield self.env.timeout(setup.thinking)
                yield from self._use(machine, setup.working / 2)
                yield from self._serve(setup.serving / 2)
                self.env.process(self._deliver(lane.popleft()))
        except simpy.Interrupt:
            return
        del self._drains[chat]

    def _deliver(self, message: Message) -> _Steps:
        yield self.env.timeout(self._setup.ring)
        with self._bots[message.chat % len(self._bots)].request() as turn:
            yield turn
            yield from self._use(self._door, self._setup.delivering)
            sent = self.env.now
            if self._setup.rate:
                yield self.env.timeout(1 / self._setup.rate)
        self.outcome.waits.append(sent - message.at - self._setup.thinking)

    def _serve(self, seconds: float) -> _Steps:
        self.outcome.served += seconds
        yield from self._use(self._server, seconds)

    def _use(self, cores: simpy.Resource, seconds: float) -> _Steps:
        with cores.request() as core:
            yield core
            yield self.env.timeout(seconds)
