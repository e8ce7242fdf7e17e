"""The settings that the flow obeys."""

from collections.abc import Sequence
from decimal import Decimal

from bot.domain.clock.zones import read_zone
from bot.domain.consent.rules import RULE_DOCUMENTS, read_endings
from bot.domain.memory.recalled import RECALL_TOKENS
from bot.domain.money.budget import Budgets, Limit, Scope
from bot.domain.money.money import nano_of
from bot.domain.money.provider import read_model_name, read_model_names
from bot.domain.setting import section, setting
from bot.domain.skills.skill import SKILL_LIST
from bot.domain.talk.limits import (
    BundleBounds,
    EnclosureBounds,
    GoalBounds,
    InboxBounds,
    KeepBounds,
    Limits,
    ModelTimes,
    ScheduleBounds,
    UndoBounds,
)
from bot.domain.talk.rights import UNBOUND, Pace, read_pace
from bot.domain.tools.tool_choice import TOOL_BYTES
from bot.domain.turn.tier import Tiers
from bot.domain.value import frozen

FIRST_MODEL = "anthropic/claude-sonnet-5-5"
"""The model that answers as long as nobody chose one."""

FIRST_OF_OPENAI = "openai/gpt-5.1"
"""The model that answers when there is a key of OpenAI alone, and nobody chose one."""


@frozen
class Policy:
    model: str = setting(
        FIRST_MODEL, "The model that answers, as provider/name.", check=read_model_name
    )
    """In a running program: the one that chats begin with, which may be the demo model."""
    fallback_models: tuple[str, ...] = setting(
        (),
        "Models that take over, in this order, when one does not answer; provider/name, ….",
        read=read_model_names,
    )
    """In a running program: those that have a key."""
    tiers: Tiers = section(Tiers)
    offered: Sequence[str] = ()
    """Models that a table of `steward.toml` describes; a person may choose them too."""
    budget_day: Decimal | None = setting(
        None,
        "Dollars that everybody together may spend in a day; no limit when not set.",
        ge=0,
        lt=1_000_000,
    )
    budget_person: Decimal | None = setting(
        None,
        "Dollars that one person may spend in a day; no limit when not set.",
        ge=0,
        lt=1_000_000,
    )
    budget_turn: Decimal | None = setting(
        None, "Dollars that one message may cost in all; no limit when not set.", ge=0, lt=1_000_000
    )
    member_pace: Pace = setting(
        UNBOUND,
        "Messages a member may send, as in 20/min,200/h,1000/d; off for no limit.",
        read=read_pace,
    )
    timezone: str | None = setting(
        None,
        "The time zone of people without one of their own; when not set, each is asked once.",
        check=read_zone,
    )
    skill_list_bytes: int = setting(
        SKILL_LIST,
        "Bytes of the list of skills in a request; the model searches for the others.",
        ge=0,
    )
    tool_bytes: int = setting(
        TOOL_BYTES, "Bytes of tools in a request; the model searches for the others.", ge=20_000
    )
    recall_tokens: int = setting(
        RECALL_TOKENS,
        "Tokens of earlier answers that come with a message; 0 recalls nothing.",
        ge=0,
    )
    rule_documents: tuple[str, ...] = setting(
        RULE_DOCUMENTS,
        "Endings of files that a standing rule for a folder covers.",
        read=read_endings,
    )
    schedules: ScheduleBounds = section(ScheduleBounds, "task_")
    goals: GoalBounds = section(GoalBounds, "goal_")
    bundles: BundleBounds = section(BundleBounds, "bundle_")
    enclosures: EnclosureBounds = section(EnclosureBounds, "enclosure_")
    inbox: InboxBounds = section(InboxBounds, "inbox_")
    undo: UndoBounds = section(UndoBounds, "undo_")
    keep: KeepBounds = section(KeepBounds, "keep_")
    limits: Limits = section(Limits)
    plan_explore: bool = setting(True, "Whether reading tools run while a plan is collected.")
    long_answer: int = setting(
        12_000, "Characters above which an answer is long; /long chooses how it is sent.", ge=1000
    )
    model_times: ModelTimes = section(ModelTimes, "model_")

    @property
    def budgets(self) -> Budgets:
        """The budgets that count as long as no owner sets others in a chat."""
        given = (
            (Scope.DAY, self.budget_day),
            (Scope.PERSON, self.budget_person),
            (Scope.TURN, self.budget_turn),
        )
        return {scope: Limit(nano_of(dollars)) for scope, dollars in given if dollars is not None}

    @property
    def documents(self) -> frozenset[str]:
        """The endings of files that a rule for a folder covers."""
        return frozenset(self.rule_documents)
