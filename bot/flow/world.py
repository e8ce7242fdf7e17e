"""What the flow is given to work with: the store, the world around it, and the rules it obeys."""

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
    """Nothing has to be known before updates can be read."""


@dataclass(frozen=True, slots=True)
class World:
    """Everything else the flow works with, by names of providers and channels.

    Updates are kept from the first moment and read once `ready` returns. `servers` lend tools to
    chats: `own_servers` are the operator's, others come with `skills`.
    """

    clock: Clock
    channels: Mapping[str, Channel]
    models: Mapping[str, Model]
    catalog: Catalog
    workspaces: Workspaces
    lanes: Callable[[Drain], Lanes]
    files: Mapping[str, Files]
    groups: Mapping[str, Groups]
    reader: Reader
    templates: Templates
    skills: Skills
    ready: Callable[[], Awaitable[None]] = at_once
    servers: Servers | None = None
    own_servers: Sequence[ServerSpec] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings the flow obeys; `model` and `fallbacks` are `provider/name`.

    With `plan_explore` reading tools run while a plan is collected. A rule for a folder covers
    files that end in one of `rule_documents`.
    """

    model: str
    fallbacks: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    times: ModelTimes = field(default_factory=ModelTimes)
    member_pace: Pace = UNBOUND
    long_answer: int = LONG_ANSWER
    plan_explore: bool = True
    skill_list: int = SKILL_LIST
    rule_documents: frozenset[str] = DOCUMENTS
    bundles: BundleBounds = field(default_factory=BundleBounds)
    enclosures: EnclosureBounds = field(default_factory=EnclosureBounds)
