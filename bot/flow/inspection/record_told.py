"""Lines of the record in words of people: what was done, and the facts beside it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.message import Presence
from bot.domain.tools.tool import Status
from bot.flow.explaining.wording import ENDS

_DID = {
    "backup.made": "A backup was made",
    "bot.membership": "My place in a chat changed",
    "bot.moved": "A group got a new number",
    "budget.set": "A budget was set",
    "call.ran": "A tool ran",
    "card.decided": "A card was decided",
    "card.ended": "A card ended without a decision",
    "card.opened": "A card asked",
    "consent.removed": "A tool server was taken back",
    "errand.sent": "A helper was sent out",
    "file.undone": "A change of a file was undone or redone",
    "memory.erased": "Something was erased",
    "memory.kept": "An erasing was called off",
    "origin.trusted": "A site or a server is trusted",
    "page.offered": "A link to sign in was made",
    "person.allowed": "Somebody was let in",
    "person.ignored": "A stranger is ignored",
    "person.linked": "Accounts were made one person",
    "person.paired": "An owner was paired",
    "person.revoked": "Access was taken back",
    "person.rights": "Rights were changed",
    "plan.approved": "A plan was approved",
    "plan.cancelled": "A plan was cancelled",
    "plan.changed": "A plan was sent back to be changed",
    "plan.collecting": "A plan is being made",
    "plan.done": "A plan is done",
    "plan.executing": "A plan goes on",
    "plan.partly_done": "A plan ended, partly done",
    "plan.ready": "A plan was shown",
    "plan.resumed": "A plan was resumed",
    "plan.step": "A step of a plan ended",
    "plan.waiting": "A plan waits for a person",
    "program.started": "The program started",
    "rule.added": "A rule was given",
    "rule.removed": "A rule was taken back",
    "rule.widened": "A rule was made wider",
    "search.switched": "The search of the web was switched",
    "skill.allowed": "A skill got its rules",
    "turn.ended": "An answer ended",
    "turn.followed": "A button below an answer was pressed",
    "turn.rests": "An answer waits, and is tried again",
    "turn.taken_back": "An answer was taken back",
    "turn.taken_up": "An answer went on in another process",
}
"""Actions in words."""

ACTIONS = tuple(sorted(_DID.items(), key=lambda one: one[1]))
"""The actions to choose from, each with its words."""

_NAMES: Mapping[str, str | None] = {
    "before": "before",
    "call": None,
    "card": None,
    "decision": "",
    "dollars": "dollars",
    "errand": None,
    "from": "before",
    "how": "",
    "line": "started with",
    "now": "now",
    "plan": None,
    "reason": "words",
    "rest": "pauses",
    "revision": "version of the plan",
    "seconds": "seconds of the pause",
    "starts": "tries",
    "status": "",
    "stop_reason": "",
    "turn": None,
    "under": None,
    "way": "button",
    "why": "",
}
"""The names of facts for people. An empty one stands in its value; None is for programs alone."""

_VALUES: Mapping[str, Mapping[Any, str]] = {
    "decision": {
        ApprovalState.EXPIRED: "nobody decided in time",
        ApprovalState.UNASKABLE: "it could not be shown to anybody",
    },
    "dollars": {None: "no limit"},
    "before": {Presence.GONE: "not in it"},
    "now": {Presence.GONE: "not in it"},
    "status": {Status.SUCCESS: "it worked"},
    "stop_reason": ENDS,
    "undone": {True: "yes", False: "no, it is in the file again"},
}
_LONGEST_READ = 10_000


def did_of(action: str) -> str:
    """Returns what was done; an action without words of its own is spelt as it is named."""
    return _DID.get(action) or _spelt(action).capitalize()


def facts_of(details: Mapping[str, Any]) -> str:
    """Returns the facts of a line in one text; a fact that nobody knows has its own name."""
    return " · ".join(_facts(details))


def _facts(details: Mapping[str, Any]) -> Iterator[str]:
    for field, value in details.items():
        if field == "arguments":
            yield from _given(str(value))
            continue
        name, told = _NAMES.get(field, _spelt(field)), _told(field, value)
        if name is not None and told:
            yield f"{name}: {told}" if name else told


def _told(field: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[Any]", value)))
    known = _VALUES.get(field, {})
    told = known.get(value) or str(value or "")
    return told.removesuffix(".") if known else told


def _given(text: str) -> Iterator[str]:
    """Yields what a tool was given, each value with its name."""
    try:
        given: Mapping[str, Any] = json.loads(text[:_LONGEST_READ])
        yield from (f"{_spelt(name)}: {value}" for name, value in given.items())
    except (ValueError, AttributeError):
        yield from [text] if text else []


def _spelt(name: str) -> str:
    return name.replace(".", " ").replace("_", " ")
