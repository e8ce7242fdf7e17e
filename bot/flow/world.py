"""The arguments of the flow: the store, the world around it, and the settings that it obeys."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from bot.domain.budget import BundleBounds, EnclosureBounds, Limits, ModelTimes
from bot.domain.chat import Chat
from bot.domain.folding import LONG_ANSWER
from bot.domain.rights import UNBOUND, Pace
from bot.domain.rules import DOCUMENTS
from bot.domain.server import ServerSpec
from bot.domain.skill import SKILL_LIST
from bot.domain.tool_choice import TOOL_BYTES
from bot.ports.approvals import Approvals, Rules
from bot.ports.attachments import Files, Reader
from bot.ports.channel import Channel
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.consents import Consents
from bot.ports.groups import Groups
from bot.ports.inbox import Inbox
from bot.ports.journal import Journal
from bot.ports.lanes import Drain, Lanes
from bot.ports.ledger import Ledger
from bot.ports.members import Members
from bot.ports.model import Model
from bot.ports.outbox import Outbox
from bot.ports.people import Door, People
from bot.ports.plans import Plans
from bot.ports.servers import Servers
from bot.ports.skills import Skills
from bot.ports.templates import Templates
from bot.ports.tool import Catalog

Workspaces: TypeAlias = Callable[[Chat, int], Awaitable[Path]]
"""Returns the folder that calls of a person in a chat may touch."""


@dataclass(frozen=True, slots=True)
class StorePorts:
    """Every port of the store."""

    inbox: Inbox
    journal: Journal
    chats: Chats
    people: People
    door: Door
    members: Members
    approvals: Approvals
    rules: Rules
    plans: Plans
    outbox: Outbox
    ledger: Ledger
    consents: Consents


async def at_once() -> None:
    """Returns at once, because updates can be read from the start."""


@dataclass(frozen=True, slots=True)
class World:
    """The ports of the flow other than the store."""

    clock: Clock
    """The time of day, the steady time, and waiting."""
    channels: Mapping[str, Channel]
    """The open channels, by name."""
    models: Mapping[str, Model]
    """The models, by the name of their provider."""
    catalog: Catalog
    """The tools of a chat that do not come from servers."""
    workspaces: Workspaces
    """Returns the folder for the calls of a person in a chat."""
    lanes: Callable[[Drain], Lanes]
    """Makes the lanes from the function that drains a chat."""
    files: Mapping[str, Files]
    """The sources of attachments, by the name of the channel."""
    groups: Mapping[str, Groups]
    """The lookups of group members, by the name of the channel."""
    reader: Reader
    """Turns the bytes of an attachment into text or a picture."""
    templates: Templates
    """The stored plans for `/plan use`."""
    skills: Skills
    """The skills, each with the tool servers that it brings along."""
    ready: Callable[[], Awaitable[None]] = at_once
    """Returns when stored updates can be read; they are stored before that too."""
    servers: Servers | None = None
    """Runs tool servers and lends their tools to chats; None when there are no servers."""
    own_servers: Sequence[ServerSpec] = ()
    """The operator's own tool servers."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings that the flow obeys; `model` and `fallbacks` have the form `provider/name`.

    With `plan_explore`, tools that only read run while the steps of a plan are collected. A rule
    for a folder covers files that end in one of `rule_documents`.
    """

    model: str
    fallbacks: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    times: ModelTimes = field(default_factory=ModelTimes)
    member_pace: Pace = UNBOUND
    long_answer: int = LONG_ANSWER
    plan_explore: bool = True
    skill_list: int = SKILL_LIST
    tool_bytes: int = TOOL_BYTES
    rule_documents: frozenset[str] = DOCUMENTS
    bundles: BundleBounds = field(default_factory=BundleBounds)
    enclosures: EnclosureBounds = field(default_factory=EnclosureBounds)
