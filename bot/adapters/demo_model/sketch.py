"""The form of a sketch: the acts of the demo, one for each reply, and their endings."""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from bot.domain.skills.skill import USE
from bot.domain.skills.skill_words import NONE
from bot.domain.value import field, frozen

_DENIED = re.compile(r"^.* denied this call\.(?: They said: (?P<reason>.*))?$", re.DOTALL)
_SHOWN = 1500


@frozen
class Wanted:
    """A call that the demo wants to make."""

    tool: str
    arguments: dict[str, Any]


@frozen
class Act:
    """One reply of a sketch: words, and calls that come with them; without calls it is the last.

    In the words `{results}` stands for what the calls before gave back.
    """

    says: str
    calls: tuple[Wanted, ...] = ()
    fails: bool = False
    """True when a call is meant to fail, as a test does before the fault is fixed."""
    shows: str = ""
    """Words that the results must hold, or the recording does not fit what happened."""
    approved: str = ""
    """The last words when somebody approves an act that is there to be denied."""


@frozen
class Sketch:
    """The words that ask for it, its line in the list for people, and its acts.

    In plan mode the demo makes the calls of `planned` instead.
    """

    words: frozenset[str]
    line: str
    acts: tuple[Act, ...]
    planned: tuple[Wanted, ...] = ()
    skill: bool = False
    """True when a skill is used, which is put away before the last words."""


@frozen
class CallMade:
    """One call that was made, and its result."""

    tool: str
    arguments: str
    text: str
    failed: bool

    @property
    def reason(self) -> str | None:
        """Returns the reason of a denial, perhaps an empty one; None when nobody denied."""
        found = _DENIED.match(self.text) if self.failed else None
        return None if found is None else (found["reason"] or "").strip()


Round: TypeAlias = Sequence[CallMade]
"""The calls of one reply."""


@frozen
class Reply:
    """The words of the demo, and its calls."""

    says: str
    calls: tuple[Wanted, ...] = field(default=())


_PUT_AWAY = Wanted(USE, {"name": NONE})


def next_reply(sketch: Sketch, rounds: Sequence[Round]) -> Reply:
    """Returns the reply that follows these rounds of the sketch."""
    played = [played for played in rounds if not _is_putting_away(played)]
    ending = next(filter(None, map(_ending, sketch.acts, played)), "")
    number = min(len(played), len(sketch.acts) - 1)
    if not ending and number < len(sketch.acts) - 1:
        return _performed(sketch.acts[number], played)
    if sketch.skill and len(played) == len(rounds) and _used_skill(played):
        return Reply("The skill has done its work, so I put it away.", (_PUT_AWAY,))
    return Reply(ending) if ending else _performed(sketch.acts[number], played)


def _performed(act: Act, played: Sequence[Round]) -> Reply:
    return Reply(_filled(act.says, played[-1] if played else ()), act.calls)


def _is_putting_away(played: Round) -> bool:
    return [made.tool for made in played] == [USE] and _names_none(played[0])


def _names_none(made: CallMade) -> bool:
    return json.loads(made.arguments or "{}").get("name") == NONE


def _used_skill(played: Sequence[Round]) -> bool:
    return any(o.tool == USE and not o.failed for calls in played for o in calls)


def _ending(act: Act, outcomes: Round) -> str:
    """Returns the last words when the act ended otherwise than recorded; else nothing."""
    denied = next((outcome for outcome in outcomes if outcome.reason is not None), None)
    if act.approved:
        return "" if denied else _filled(act.approved, outcomes)
    if denied is not None:
        return _told_denial(denied.reason or "")
    failed = any(outcome.failed for outcome in outcomes)
    missing = act.shows not in "\n".join(outcome.text for outcome in outcomes)
    if failed is not act.fails or missing:
        return (
            "This went otherwise than in my recording, so I stop here. A real model would look "
            f"into it:\n\n{fenced(outcomes)}"
        )
    return ""


def _told_denial(reason: str) -> str:
    told = "That was not approved, so I stop here."
    if not reason:
        return f"{told} With a reason, a real model would try another way."
    return f"{told} The reason:\n\n> {reason}\n\nA real model would go on from there."


def _filled(words: str, outcomes: Round) -> str:
    reason = next((outcome.reason for outcome in outcomes if outcome.reason), "")
    quoted = f"\n\n> {reason}" if reason else ""
    return words.replace("{results}", fenced(outcomes)).replace("{reason}", quoted)


def fenced(outcomes: Round) -> str:
    """Returns the texts of results in one block of code."""
    text = "\n\n".join(outcome.text.strip() or "nothing" for outcome in outcomes)
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    return f"{fence}\n{shown}\n{fence}"
