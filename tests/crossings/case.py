"""The abilities that meet in a story, and the stories that bring each pair of them together."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from covertable import make

FACTORS: dict[str, list[str]] = {
    "origin": [
        "message",
        "voice",
        "edit",
        "reply",
        "retry",
        "undo",
        "branch",
        "task",
        "goal",
        "hook",
        "plan",
    ],
    "who": ["owner", "member"],
    "place": ["private", "group", "second channel"],
    "through": ["itself", "errand"],
    "sight": ["clean", "page", "forward", "recalled", "recalled by meaning"],
    "act": ["write", "pair", "secret", "danger", "fetch"],
    "consent": ["nobody", "press", "approve all", "rule", "plan", "kept call"],
    "allowed": ["ask", "readonly"],
    "event": [
        "none",
        "restart",
        "restart after the press",
        "pressed twice",
        "stop",
        "budget",
        "lower walls",
        "channel away",
        "taken over",
    ],
    "store": ["memory", "sqlite", "postgres"],
}
"""Each ability with its values; the first value is the plain one."""


@dataclass(frozen=True, slots=True)
class Case:
    """One story: a wish comes on some way, meets these abilities, and is judged."""

    origin: str = "message"
    """The way on which the words reach the model."""
    who: str = "owner"
    """The person who asks."""
    place: str = "private"
    through: str = "itself"
    """The turn acts by itself, or sends an errand out."""
    sight: str = "clean"
    """The words that the model obeys: the person's own, or somebody else's."""
    act: str = "write"
    """The change that the model tries."""
    consent: str = "nobody"
    """The way in which people agree to it."""
    allowed: str = "ask"
    """The rights of a run of a task or a hook."""
    event: str = "none"
    """What happens meanwhile."""
    store: str = "memory"

    @property
    def name(self) -> str:
        """Returns the values that are not the plain ones."""
        odd = [getattr(self, key) for key, values in FACTORS.items() if self._odd(key, values)]
        return ", ".join(odd) or "plain"

    def _odd(self, key: str, values: list[str]) -> bool:
        return getattr(self, key) != values[0]

    @property
    def is_run(self) -> bool:
        """Returns whether the turn is a run, which nobody's message began."""
        return self.origin in ("task", "hook", "goal")


def covering(strength: int) -> Sequence[Case]:
    """Returns stories in which each possible combination of so many values stands together."""
    rows: Any = make(FACTORS, strength=strength, constraints=_CONSTRAINTS)
    assert {field.name for field in fields(Case)} == FACTORS.keys()
    return sorted((Case(**row) for row in rows), key=lambda case: case.name)


def _is(factor: str, *values: str) -> dict[str, Any]:
    return {"operator": "in", "left": factor, "values": list(values)}


def _if(condition: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    return {"operator": "or", "conditions": [{"operator": "not", "condition": condition}, then]}


_CONSTRAINTS = [
    # A run may be bound to reading; a message may not.
    _if(_is("allowed", "readonly"), _is("origin", "task", "hook")),
    # Calls are kept by tasks alone, and steps by plans.
    _if(_is("consent", "kept call"), _is("origin", "task")),
    _if(_is("consent", "plan"), _is("origin", "plan")),
    # Nothing is forwarded to a run, and nobody forwards a voice, a command or an edit here.
    _if(_is("sight", "forward"), _is("origin", "message", "reply", "branch")),
    # Nobody tells the price of the embedder here, so a budget lets it rest.
    _if(_is("event", "budget"), _is("sight", "clean", "page", "forward", "recalled")),
    # One process of a database keeps the index of meaning, and the others find by words.
    _if(
        _is("event", "taken over"),
        _is("sight", "clean", "page", "forward", "recalled"),
    ),
    # SQLite belongs to one process.
    _if(_is("event", "taken over"), _is("store", "postgres")),
    # Runs recall nothing, and a group has a memory of its own.
    _if(_is("sight", "recalled", "recalled by meaning"), _is("place", "private", "second channel")),
    _if(_is("origin", "hook", "goal", "task"), _is("sight", "clean", "page")),
    # Hooks and goals belong to the owner's private chat here.
    _if(_is("origin", "hook"), _is("place", "private")),
    _if(_is("origin", "goal", "task"), _is("place", "private", "second channel")),
    _if(_is("origin", "hook"), _is("who", "owner")),
]
