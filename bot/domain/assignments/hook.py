"""A hook, which a call from outside runs, and the calls that came."""

import re
from datetime import datetime, timedelta
from enum import StrEnum

from bot.domain.assignments.task import Allowed, RunState
from bot.domain.turn.mandate import PERSONAL, Mandate
from bot.domain.value import field, frozen, replace

LARGEST_BODY = 64_000
"""Bytes of the body of one call."""

SHORTEST_SECRET = 16
"""Characters that a secret must have."""

SECRET_PREFIX = "HOOK_"
"""The beginning of the name of every variable that holds a secret."""

OWNER = "owner"
"""Stands for the first owner who has an account on a served platform."""

KEY_KEPT = timedelta(days=1)
"""The time for which a key stands for the call that it came with."""

LONGEST_KEY = 200
"""Characters of a key."""

CALLS_KEPT = timedelta(days=400)
"""The time for which a call whose run is over is kept."""

_PREFIX = "hook-"


class ProofKind(StrEnum):
    """The way in which a caller proves that it knows the secret."""

    BEARER = "bearer"
    HMAC = "hmac"
    STAMPED = "stamped"


@frozen
class Hook:
    """A hook, as its file tells it."""

    name: str
    """The name of its file, and the end of its address."""
    person: str
    """The account of the person it runs for, as `channel:id`, or `owner`."""
    chat: str
    """The account or group in which it answers, as `channel:id`."""
    words: str
    """The operator's words for each run, with placeholders."""
    secret_name: str
    """The variable that holds its secret."""
    secret: str = field(repr=False)
    """The secret; empty when the variable is not set, and then the hook is off."""
    proof: ProofKind = ProofKind.BEARER
    """The proof that a call must give."""
    header: str = "x-steward-signature"
    """The header with the signature, in small letters."""
    key_header: str = "idempotency-key"
    """The header with the key of a call, in small letters."""
    allowed: Allowed = Allowed.ASK
    """The rights of its runs."""
    fresh: bool = True
    """True when each run has a conversation of its own."""
    daily: int = 100
    """Calls that are accepted in 24 hours."""
    tells_answer: bool = False
    """True when the status of a run contains its answer."""

    @property
    def group(self) -> bool:
        """Returns True when it answers elsewhere than in the private chat of its person."""
        return self.chat != self.person


@frozen
class HookPace:
    """The calls that are taken in a time; they are counted where they are stored."""

    each: int = 30
    """Calls of one hook in a minute."""
    all: int = 120
    """Calls of all hooks in a minute."""
    daily: int = 100
    """Calls of one hook in 24 hours."""


@frozen
class BrokenHook:
    """A file of a hook that cannot be used."""

    name: str
    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.why}"


@frozen
class HookCall:
    """One accepted call, and the run that it started."""

    id: str
    """Names the call in its status address."""
    hook: str
    """The name of the hook."""
    key: str
    """The key by which the same call is known again; empty without one."""
    turn: str
    """The turn that carries it out."""
    chat: int
    """The chat in which it answers."""
    at: datetime
    """The time at which it came."""
    words: str
    """The operator's words; empty once the run is over."""
    data: str
    """The foreign data of the call, as the model reads them; empty once the run is over."""
    allowed: Allowed
    """The rights of the run, as the file said when the call came."""
    fresh: bool
    """True when the run has a conversation of its own."""
    state: RunState = RunState.QUEUED
    """The stage of its run."""
    ended_at: datetime | None = None
    """The time at which its run was over."""
    why: str = ""
    """The reason of a failure, for people."""
    tries: int = 1
    """The number of the try."""
    again_at: datetime | None = None
    """The time of the next try."""
    seal: str = ""
    """The signature that the call came with, by which a repeated one is known; empty without."""

    @property
    def mandate(self) -> Mandate:
        """Returns the most that its run may do; its words are the operator's own."""
        return PERSONAL.narrowed(readonly=self.allowed is Allowed.READONLY)

    def again(self, at: datetime, why: str) -> "HookCall":
        """Returns the call with a failed run that is tried again at a time."""
        return replace(self, state=RunState.AGAIN, again_at=at, why=why)

    def tried(self) -> "HookCall":
        """Returns the call with its next try, which is about to begin."""
        tries = self.tries + 1
        turn = turn_of_call(self.id, tries)
        return replace(self, state=RunState.QUEUED, tries=tries, turn=turn, again_at=None, why="")

    def ended(self, state: RunState, now: datetime, why: str = "") -> "HookCall":
        """Returns the call at the end of its run; its words and data are in the log by then."""
        over = replace(self, state=state, ended_at=now, why=why, again_at=None)
        return replace(over, words="", data="")


def turn_of_call(id: str, tries: int = 1) -> str:
    """Returns the id of the turn for a try of a call: the same on every process."""
    return f"{_PREFIX}{id}" if tries == 1 else f"{_PREFIX}{id}-{tries}"


def is_hook_run(turn: str) -> bool:
    """Returns True for the id of a turn that carries out a call."""
    return turn.startswith(_PREFIX)


_SECRET_NAME = re.compile(r"HOOK_[A-Z0-9_]{1,60}")


def is_secret_name(name: str) -> bool:
    return _SECRET_NAME.fullmatch(name) is not None
