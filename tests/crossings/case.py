"""The abilities that meet in a story, and the stories that bring each pair of them together."""

import fcntl
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from covertable import make

_WAYS = ["message", "voice", "edit", "reply", "branch", "task", "goal", "hook", "plan"]
RUNS = ("task", "hook", "goal")
"""The ways whose turns nobody's message begins."""

AGAIN = ("retry", "undo")
"""What may come later and asks for no change of its own."""

FACTORS: dict[str, list[str]] = {
    "origin": _WAYS,
    "later": ["nothing", *AGAIN, *_WAYS[1:]],
    "who": ["owner", "member", "newcomer"],
    "place": ["private", "group", "second channel", "project", "door", "own page"],
    "through": ["itself", "errand"],
    "sight": ["clean", "page", "forward", "recalled", "recalled by meaning"],
    "act": ["write", "pair", "secret", "danger", "fetch", "search"],
    "consent": [
        "nobody",
        "press",
        "no",
        "approve all",
        "rule",
        "rule, then all",
        "plan",
        "kept call",
        "yes to rule",
    ],
    "beside": ["nothing", "terminal", "page", "pages of all"],
    "walls": ["sandbox", "no sandbox"],
    "allowed": ["ask", "readonly"],
    "money": ["enough", "ends"],
    "said": ["whole", "half"],
    "event": [
        "none",
        "restart",
        "restart after the press",
        "pressed twice",
        "stop",
        "lower walls",
        "channel away",
        "taken over",
        "nobody there",
    ],
    "store": ["memory", "sqlite", "postgres"],
}
"""Each ability with its values; the first value is the plain one."""

_KEPT = Path(__file__).parents[2] / ".pytest_cache"


@dataclass(frozen=True, slots=True)
class Case:
    """One story: a wish comes on some way, meets these abilities, and is judged."""

    origin: str = "message"
    """The way on which the words reach the model."""
    later: str = "nothing"
    """What comes when the wish is over: another wish on its own way, or a look back at this one."""
    who: str = "owner"
    """The person who asks; a newcomer has a browser alone, and an owner let them in."""
    place: str = "private"
    """The chat: a project is the one of a terminal in a folder, a door the one about the home."""
    through: str = "itself"
    """The turn acts by itself, or sends an errand out."""
    sight: str = "clean"
    """The words that the model obeys: the person's own, or somebody else's."""
    act: str = "write"
    """The change that the model tries; a search is one that asks to be switched on."""
    consent: str = "nobody"
    """The way in which people agree to it; a rule is about the first wish alone."""
    beside: str = "nothing"
    """What shows the owner's private chat beside the platform, and takes what the owner says.

    The pages of all are the owner's and the member's: each tries there what waits for the other.
    """
    walls: str = "sandbox"
    """What stands around the changes when the story begins."""
    allowed: str = "ask"
    """The rights of a run of a task or a hook."""
    money: str = "enough"
    """Whether the budget of the day lasts."""
    said: str = "whole"
    """Whether the wish is followed by an answer that is stopped when half of it has come."""
    event: str = "none"
    """What happens meanwhile, to each wish anew."""
    store: str = "memory"

    @property
    def name(self) -> str:
        """Returns the values that are not the plain ones."""
        odd = [self._told(key) for key, values in FACTORS.items() if self._odd(key, values)]
        return "; ".join(odd) or "plain"

    def _told(self, key: str) -> str:
        told: str = getattr(self, key)
        return f"then {told}" if key == "later" else told

    def _odd(self, key: str, values: list[str]) -> bool:
        return getattr(self, key) != values[0]

    @property
    def ways(self) -> tuple[str, ...]:
        """Returns the ways of its wishes, in their order."""
        own = () if self.later in ("nothing", *AGAIN) else (self.later,)
        return (self.origin, *own)

    @property
    def shown_beside(self) -> bool:
        """Returns whether the chat of the story is the one that is shown beside."""
        return (self.who, self.place) == ("owner", "private")

    @property
    def at_terminal(self) -> bool:
        """Returns whether the person sits at a terminal, which may be closed meanwhile."""
        return self.place in ("project", "door")


def covering(strength: int) -> Sequence[Case]:
    """Returns stories in which each possible combination of so many values stands together.

    Finding them takes seconds, of triples minutes: they are kept until what crosses changes, and
    of workers beside one another a single one finds them.
    """
    assert {field.name for field in fields(Case)} == FACTORS.keys()
    asked = json.dumps([version("covertable"), strength, FACTORS, _CONSTRAINTS])
    _KEPT.mkdir(exist_ok=True)
    known = _KEPT / f"crossings-{sha256(asked.encode()).hexdigest()[:16]}.json"
    if not known.exists():
        _find(known, strength)
    rows = json.loads(known.read_text())
    return sorted((Case(**row) for row in rows), key=lambda case: case.name)


def _find(known: Path, strength: int) -> None:
    with (_KEPT / "crossings.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not known.exists():
            rows: Any = make(FACTORS, strength=strength, constraints=_CONSTRAINTS)
            part = known.with_suffix(".part")
            part.write_text(json.dumps([dict(row) for row in rows]))
            part.replace(known)


def _is(factor: str, *values: str) -> dict[str, Any]:
    return {"operator": "in", "left": factor, "values": list(values)}


def _either(*conditions: dict[str, Any]) -> dict[str, Any]:
    return {"operator": "or", "conditions": [*conditions]}


def _if(condition: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    return _either({"operator": "not", "condition": condition}, then)


def _way(*ways: str) -> dict[str, Any]:
    """Returns the condition that one of the wishes comes on one of these ways."""
    return _either(_is("origin", *ways), _is("later", *ways))


def _ways(*ways: str) -> dict[str, Any]:
    """Returns the condition that all wishes come on these ways."""
    later = _is("later", "nothing", *AGAIN, *ways)
    return {"operator": "and", "conditions": [_is("origin", *ways), later]}


_ON_PLATFORM = _is("place", "private", "group", "second channel")
_CONSTRAINTS = [
    # A run may be bound to reading; a message may not.
    _if(_is("allowed", "readonly"), _way("task", "hook")),
    # Calls are kept by tasks alone, and steps by plans.
    _if(_is("consent", "kept call"), _way("task")),
    _if(_is("consent", "plan"), _way("plan")),
    # Nothing is forwarded to a run, and nobody forwards a voice, a command or an edit here.
    _if(_is("sight", "forward"), _is("origin", "message", "reply", "branch")),
    # Nobody tells the price of the embedder here, so a budget lets it rest.
    _if(_is("money", "ends"), _is("sight", "clean", "page", "forward", "recalled")),
    # One process of a database keeps the index of meaning, and the others find by words.
    _if(
        _is("event", "taken over"),
        _is("sight", "clean", "page", "forward", "recalled"),
    ),
    # SQLite belongs to one process.
    _if(_is("event", "taken over"), _is("store", "postgres")),
    # Runs recall nothing, and a group has a memory of its own.
    _if(
        _is("sight", "recalled", "recalled by meaning"),
        _is("place", "private", "second channel", "project", "door", "own page"),
    ),
    _if(_is("origin", *RUNS), _is("sight", "clean", "page")),
    # Hooks belong to the owner's private chat here, whatever chat the other wish comes from.
    _if(_is("origin", "hook"), _is("place", "private")),
    _if(_is("origin", "hook"), _is("who", "owner")),
    # Goals and tasks belong to one person here.
    _if(
        _way("goal", "task"),
        _is("place", "private", "second channel", "project", "door", "own page"),
    ),
    # The owner alone sits at a terminal; nobody speaks into it, forwards to it or edits there, and
    # it comes with the program.
    _if(_is("place", "project", "door"), _is("who", "owner")),
    _if(
        _is("place", "project", "door"),
        _ways("message", "branch", "task", "goal", "plan", "hook"),
    ),
    # Whoever has a browser alone writes on their own page, which takes no recordings.
    _if(_is("who", "newcomer"), _is("place", "own page")),
    _if(
        _is("place", "own page"),
        _ways("message", "edit", "reply", "branch", "task", "goal", "plan", "hook"),
    ),
    _if(_is("sight", "forward"), _ON_PLATFORM),
    _if(_is("event", "channel away"), _ON_PLATFORM),
    # A terminal alone may be closed while a wish is done, and names rules for a question. One that
    # shows a chat of the platform may be closed as well.
    _if(
        _is("event", "nobody there"),
        _either(_is("place", "project", "door"), _is("beside", "terminal")),
    ),
    _if(_is("consent", "yes to rule"), _is("place", "project", "door")),
    # Such a view looks at the rows of a real store, and so does the list of all cards.
    _if(_is("beside", "terminal", "pages of all"), _is("store", "sqlite", "postgres")),
    # Walls that are not there are not lowered.
    _if(_is("event", "lower walls"), _is("walls", "sandbox")),
]
