"""The abilities that the stories have to bring together, and the pairs that cannot be."""

from collections.abc import Callable, Mapping

from tests.crossings.case import ABOVE, TRUSTED, Case
from tests.crossings.wish import wishes_of


def _comes_by(*ways: str) -> Callable[[Case], bool]:
    return lambda case: any(way in ways for way in case.ways)


def _sees(*sights: str) -> Callable[[Case], bool]:
    return lambda case: any(wish.sight in sights for wish in wishes_of(case))


def _is(factor: str, *values: str) -> Callable[[Case], bool]:
    return lambda case: getattr(case, factor) in values


ABILITIES: Mapping[str, Callable[[Case], bool]] = {
    "plan": _comes_by("plan"),
    "skill with a secret": _is("act", "secret"),
    "standing rule": _is(
        "consent", "rule", "rule, then all", "yes to rule", "owner's rule", "member's rule"
    ),
    "approve all": _is("consent", "approve all", "rule, then all"),
    "errand": _is("through", "errand"),
    "task": _comes_by("task"),
    "goal": _comes_by("goal"),
    "hook": _comes_by("hook"),
    "readonly": _is("allowed", "readonly"),
    "undo": _is("later", "undo"),
    "retry": _is("later", "retry", "undo"),
    "branch": _comes_by("branch"),
    "edit": _comes_by("edit"),
    "reply": _comes_by("reply"),
    "recall": _sees("recalled", "recalled by meaning"),
    "web page in view": _sees("page"),
    "voice": _comes_by("voice"),
    "budget at its end": _is("money", "ends"),
    "restart": _is("event", "restart", "restart after the press"),
    "second channel": _is("place", "second channel"),
    "second person": _is("who", "member", "newcomer"),
    "PostgreSQL": _is("store", "postgres"),
    "newcomer of the page": _is("who", "newcomer"),
    "half answer": _is("said", "half"),
    "trusted site": _sees(*TRUSTED),
    "earlier conversation": _sees("earlier talk"),
    "list of tasks": _sees("task list"),
    "two who speak": lambda case: case.then_by == "other" or case.sight in ABOVE,
    "end of the conversation": _is("act", "end"),
}
"""Each ability, and whether it is in a story."""

CANNOT = {
    ("newcomer of the page", "second channel"): "a newcomer has a browser and no other channel",
    ("newcomer of the page", "voice"): "the page takes no recordings",
    ("earlier conversation", "newcomer of the page"): "nothing is forwarded on the page",
    ("end of the conversation", "skill with a secret"): "a story tries one change",
    ("goal", "two who speak"): "goals are one person's here",
    ("task", "two who speak"): "tasks are one person's here",
    ("newcomer of the page", "two who speak"): "a page has one who speaks",
    ("second channel", "two who speak"): "the group is on the first channel",
    ("recall", "two who speak"): "a group has a memory of its own",
    **dict.fromkeys(
        [
            ("earlier conversation", "list of tasks"),
            ("earlier conversation", "recall"),
            ("earlier conversation", "trusted site"),
            ("list of tasks", "recall"),
            ("list of tasks", "trusted site"),
            ("recall", "trusted site"),
            ("trusted site", "web page in view"),
        ],
        "the orders stand in one place",
    ),
}
"""The pairs that no story can have, with the reason."""
