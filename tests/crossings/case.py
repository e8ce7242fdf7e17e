"""The abilities that meet in a story, and the stories that bring each pair of them together."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial

from tests.crossings.covering import Condition, Rows, among, both, either, given

_WAYS = ["message", "voice", "edit", "reply", "branch", "task", "goal", "hook", "plan"]
RUNS = ("task", "hook", "goal")
"""The ways whose turns nobody's message begins."""

AGAIN = ("retry", "undo")
"""What may come later and asks for no change of its own."""

TRUSTED = ("trusted page", "read above")
"""The sights with a page of a site that the owner, and nobody else, trusts in the chat."""

MAY_APPROVE = ("owner's rule", "member's rule")
"""The ways to agree with which a member may approve, and presses nothing."""

ABOVE = ("said above", "read above")
"""The sights whose orders came into the talk of a group by the other person."""

FACTORS: dict[str, list[str]] = {
    "origin": _WAYS,
    "later": ["nothing", *AGAIN, *_WAYS[1:]],
    "then_by": ["same", "other"],
    "who": ["owner", "member", "newcomer"],
    "place": ["private", "group", "second channel", "project", "door", "own page"],
    "through": ["itself", "errand"],
    "sight": [
        "clean",
        "page",
        "forward",
        "recalled",
        "recalled by meaning",
        "trusted page",
        "said above",
        "read above",
        "earlier talk",
        "task list",
    ],
    "act": ["write", "pair", "secret", "danger", "fetch", "search", "end"],
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
        "owner's rule",
        "member's rule",
        "right taken back",
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
        "pressed late",
        "stop",
        "lower walls",
        "channel away",
        "taken over",
        "nobody there",
    ],
    "store": ["memory", "sqlite", "postgres"],
}
"""Each ability with its values; the first value is the plain one."""

_COSTLY = (
    ("event", "taken over"),
    ("beside", "terminal"),
    ("beside", "pages of all"),
    ("store", "postgres"),
    ("store", "sqlite"),
)
"""The values that make a story slow; those that need a real store stand before the stores."""

_ALWAYS: list[dict[str, str]] = [
    # The rule of an owner, while a member asks, comes after, or has written above.
    {"consent": "owner's rule", "who": "member", "sight": "clean", "origin": "message"},
    {"consent": "owner's rule", "who": "member", "sight": "clean", "then_by": "other"}
    | {"later": "reply", "through": "itself"},
    {"consent": "owner's rule", "who": "owner", "sight": "clean", "then_by": "other"}
    | {"later": "reply", "through": "itself"},
    {"consent": "owner's rule", "who": "owner", "sight": "said above", "through": "itself"},
    {"consent": "owner's rule", "who": "owner", "sight": "earlier talk", "through": "itself"},
    {"consent": "owner's rule", "who": "owner", "sight": "task list", "through": "itself"},
    # What an owner trusts, and a member reads: by themselves, by an errand, and above.
    {"consent": "owner's rule", "who": "owner", "sight": "trusted page", "through": "itself"},
    {"consent": "member's rule", "sight": "trusted page", "through": "itself"},
    {"consent": "member's rule", "sight": "trusted page", "through": "errand"},
    {"consent": "member's rule", "sight": "read above", "through": "itself"},
    # The plan of an owner, which is approved before a member speaks or after that.
    {"consent": "plan", "origin": "plan", "who": "owner", "then_by": "other", "later": "reply"}
    | {"act": "write", "sight": "clean", "event": "none", "money": "enough"},
    {"consent": "plan", "origin": "plan", "who": "owner", "then_by": "other", "later": "edit"}
    | {"act": "write", "sight": "clean", "event": "pressed late", "money": "enough"},
    # What a member allowed, and may not allow any more.
    {"consent": "right taken back", "origin": "message", "sight": "clean"},
    {"consent": "right taken back", "origin": "task", "sight": "clean", "allowed": "ask"},
    # A run that may only read, and ends the talk of its chat.
    {"act": "end", "origin": "task", "allowed": "readonly", "sight": "clean"}
    | {"through": "itself", "event": "none", "money": "enough"},
]
"""Values that stand together in a story: pairs alone would not show a leak between them."""

_PLAIN = {"store": "memory", "said": "whole"}
"""The values that these stories have as well, so that nothing hides a leak."""


@dataclass(frozen=True, slots=True)
class Case:
    """One story: a wish comes on some way, meets these abilities, and is judged."""

    origin: str = "message"
    """The way on which the words reach the model."""
    later: str = "nothing"
    """What comes when the wish is over: another wish on its own way, or a look back at this one."""
    then_by: str = "same"
    """The person who speaks then: the same one, or the other one of the group."""
    who: str = "owner"
    """The person who asks; a newcomer has a browser alone, and an owner let them in."""
    place: str = "private"
    """The chat: a project is the one of a terminal in a folder, a door the one about the home."""
    through: str = "itself"
    """The turn acts by itself, or sends an errand out."""
    sight: str = "clean"
    """The words that the model obeys: the person's own, or somebody else's.

    Those in the talk above, in an earlier one and in a task are the other person's in a group.
    """
    act: str = "write"
    """The change that the model tries; a search is one that asks to be switched on.

    The end is that of the conversation.
    """
    consent: str = "nobody"
    """The way in which people agree to it; a rule is about the first wish alone.

    A rule is the asker's, in a group the owner's, or the member's. Beside the last two an owner
    gave the member the right to approve. What is taken back is that right, when the member has
    given a rule and, to a task, a call.
    """
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
        return f"then {told}" if key in ("later", "then_by") else told

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
    """Returns stories in which each possible combination of so many values stands together."""
    assert {field.name for field in fields(Case)} == FACTORS.keys()
    always = [one | _PLAIN for one in _ALWAYS]
    found = rows().covering(strength, always, _COSTLY)
    return sorted((Case(**row) for row in found), key=lambda case: case.name)


def rows() -> Rows:
    """Returns all stories that can be."""
    return Rows(FACTORS, _CONSTRAINTS)


def _without(factor: str, *values: str) -> Condition:
    return among(factor, *(value for value in FACTORS[factor] if value not in values))


def _way(*ways: str) -> Condition:
    """Returns the condition that one of the wishes comes on one of these ways."""
    return either(among("origin", *ways), among("later", *ways))


def _ways(*ways: str) -> Condition:
    """Returns the condition that all wishes come on these ways."""
    return both(among("origin", *ways), among("later", "nothing", *AGAIN, *ways))


_sight = partial(among, "sight")
_NOT_BY_MEANING = _without("sight", "recalled by meaning")
_ON_PLATFORM = among("place", "private", "group", "second channel")
_OF_ONE = among("place", "private", "second channel", "project", "door", "own page")
_BY_OTHER = among("then_by", "other")
_OF_TWO = among("consent", "owner's rule", "member's rule", "right taken back")
"""The consents in stories that show whether one person's consent counts for the other."""
_CONSTRAINTS = [
    # A run may be bound to reading; a message may not.
    given(among("allowed", "readonly"), _way("task", "hook")),
    # Calls are kept by tasks alone, and steps by plans.
    given(among("consent", "kept call"), _way("task")),
    given(among("consent", "plan"), _way("plan")),
    given(among("act", "end"), _without("consent", "kept call")),
    # Nothing is forwarded to a run, and nobody forwards a voice, a command or an edit here.
    given(_sight("forward"), among("origin", "message", "reply", "branch")),
    # Nobody tells the price of the embedder here, so a budget lets it rest.
    given(among("money", "ends"), _NOT_BY_MEANING),
    # One process of a database keeps the index of meaning, and the others find by words.
    given(among("event", "taken over"), _NOT_BY_MEANING),
    # SQLite belongs to one process.
    given(among("event", "taken over"), among("store", "postgres")),
    # Runs recall nothing, and a group has a memory of its own.
    given(_sight("recalled", "recalled by meaning"), _OF_ONE),
    given(among("origin", *RUNS), _sight("clean", "page", "trusted page")),
    # Hooks belong to the owner's private chat here, whatever chat the other wish comes from.
    given(among("origin", "hook"), among("place", "private")),
    given(among("origin", "hook"), among("who", "owner")),
    # Goals and tasks belong to one person here.
    given(_way("goal", "task"), _OF_ONE),
    # The owner alone sits at a terminal; nobody speaks into it, forwards to it or edits there, and
    # it comes with the program.
    given(among("place", "project", "door"), among("who", "owner")),
    given(
        among("place", "project", "door"),
        _ways("message", "branch", "task", "goal", "plan", "hook"),
    ),
    # Whoever has a browser alone writes on their own page, which takes no recordings.
    given(among("who", "newcomer"), among("place", "own page")),
    given(
        among("place", "own page"),
        _ways("message", "edit", "reply", "branch", "task", "goal", "plan", "hook"),
    ),
    given(_sight("forward", "earlier talk"), _ON_PLATFORM),
    given(among("event", "channel away"), _ON_PLATFORM),
    # A terminal alone may be closed while a wish is done, and names rules for a question. One that
    # shows a chat of the platform may be closed as well.
    given(
        among("event", "nobody there"),
        either(among("place", "project", "door"), among("beside", "terminal")),
    ),
    given(among("consent", "yes to rule"), among("place", "project", "door")),
    # Such a view looks at the rows of a real store, and so does the list of all cards.
    given(among("beside", "terminal", "pages of all"), among("store", "sqlite", "postgres")),
    # Walls that are not there are not lowered.
    given(among("event", "lower walls"), among("walls", "sandbox")),
    # Where two people speak: a group alone has both.
    given(_BY_OTHER, among("place", "group")),
    given(_BY_OTHER, _without("later", "nothing", "hook")),
    given(_BY_OTHER, _without("beside", "pages of all")),
    given(_sight(*ABOVE), among("place", "group")),
    # The words of an owner are no danger to a member.
    given(_sight("said above"), among("who", "owner")),
    given(among("consent", "owner's rule"), among("place", "group")),
    given(among("consent", "rule"), _without("place", "group")),
    given(among("consent", "member's rule", "right taken back"), among("who", "member")),
    # They would not show it where no rule counts anyway.
    given(_OF_TWO, among("act", "write", "pair")),
    given(_OF_TWO, _without("origin", "plan")),
    given(_OF_TWO, _without("event", "stop")),
    given(_OF_TWO, among("money", "enough")),
    given(_OF_TWO, _without("beside", "pages of all")),
    # There is something to press late where something comes later.
    given(among("event", "pressed late"), _without("later", "nothing")),
]
