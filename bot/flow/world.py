"""The arguments of the flow: the store, and the world around it."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from bot.domain.consent.own_search import OwnSearch
from bot.domain.talk.chat import Chat
from bot.domain.talk.hold import Holds, never_held
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person
from bot.domain.tools.run_place import Walls
from bot.domain.tools.server import ServerSpec
from bot.domain.value import field, frozen
from bot.ports.approvals import Approvals, Rules
from bot.ports.attachments import Files, Reader
from bot.ports.bell import Bell, NoBell, OwnPosts, Posts
from bot.ports.belongings import Belongings, Packing
from bot.ports.channel import Channel, Overhear
from bot.ports.charts import Charts
from bot.ports.chats import WholeChats
from bot.ports.clock import Clock
from bot.ports.consents import Consents
from bot.ports.descriptions import Descriptions
from bot.ports.duties import EVERY_DUTY, Duty
from bot.ports.errands import Errands
from bot.ports.feedback import FeedbackRows
from bot.ports.file_changes import WholeFileChanges, WorkspaceDoor
from bot.ports.folder_places import FolderPlaces
from bot.ports.goals import Goals
from bot.ports.groups import Groups
from bot.ports.hearing import Hearing
from bot.ports.hooks import Hooks, WholeHookCalls
from bot.ports.inbox import WholeInbox
from bot.ports.journal import Journal
from bot.ports.lanes import Drain, Lanes
from bot.ports.ledger import WholeLedger
from bot.ports.meaning import MeaningIndex
from bot.ports.members import Members
from bot.ports.memory import Index, Memory
from bot.ports.model import Model
from bot.ports.notes import Notes
from bot.ports.outbox import WholeOutbox
from bot.ports.peers import NoPeers, Peers
from bot.ports.people import Door, People
from bot.ports.persona import Persona
from bot.ports.plans import Plans
from bot.ports.received import InboxFolder, Received
from bot.ports.records import Records
from bot.ports.scheduled import Scheduled
from bot.ports.servers import Servers
from bot.ports.sessions import WholeSessions
from bot.ports.skills import Skills
from bot.ports.speaking import Sounds, Speaking
from bot.ports.templates import Templates
from bot.ports.timing import CronTimes, MomentWords, ZonesAt
from bot.ports.tool import Folder, Tool
from bot.ports.turns import TurnRows
from bot.ports.upkeep import NoUpkeep, Upkeep
from bot.ports.voice import VoiceRows

Workspaces: TypeAlias = Callable[[Chat, int | Person], Awaitable[Folder]]
"""Returns the folder that calls of a person in a chat may touch; a number is looked up."""


ClearCopies: TypeAlias = Callable[[datetime, Collection[str]], Awaitable[None]]


@frozen
class StorePorts:
    """Every port of the store."""

    inbox: WholeInbox
    """Raw updates, until each is done."""
    journal: Journal
    """Reads the log with the rows around it, and commits changes."""
    chats: WholeChats
    """Chats and their conversations."""
    people: People
    """People, their accounts and their rights."""
    door: Door
    """Pairing codes, and the strangers who were greeted."""
    members: Members
    """The open messages, turns and cards of each person."""
    approvals: Approvals
    """Cards."""
    rules: Rules
    """Standing rules."""
    plans: Plans
    """Plans with their steps."""
    outbox: WholeOutbox
    """Messages that people should see."""
    ledger: WholeLedger
    """Paid calls, budgets and the audit."""
    consents: Consents
    """The tool servers of skills that an owner has let in."""
    received: Received
    """Files that people sent."""
    memory: Memory
    """Passages as they are kept."""
    words: Index
    """Finds passages by their words."""
    notes: Notes
    """Sentences that people wanted to be remembered."""
    belongings: Belongings
    """Everything that was said with a person or a group, for an export."""
    turns: TurnRows
    """The rows of turns, without their log."""
    voice: VoiceRows
    """Voice notes that are owed, and the words of voice messages that were heard."""
    errands: Errands
    """Tasks that turns gave to turns of their own."""
    scheduled: Scheduled
    """Tasks and their runs."""
    hook_calls: WholeHookCalls
    """Calls of hooks."""
    goals: Goals
    """Goals and their diaries."""
    file_changes: WholeFileChanges
    """Changes of files that can be taken back."""
    folders: FolderPlaces
    """The workers that have the files of a folder."""
    feedback: FeedbackRows
    """Opinions of people about answers."""
    records: Records
    """The rows behind pages."""
    sessions: WholeSessions
    """Sign-in codes and sessions of the page."""
    peers: Peers = field(default_factory=NoPeers)
    """Other processes on the same store."""
    bell: Bell = field(default_factory=NoBell)
    """Rings the other processes, and hears them."""
    posts: Posts = field(default_factory=OwnPosts)
    """The posts of which each has one process at a time."""
    upkeep: Upkeep = field(default_factory=NoUpkeep)
    """Removes what is old, and knows the sizes of the store."""


def it_works() -> bool:
    """Stands for a store that works always."""
    return True


async def never() -> None:
    """Waits without an end, because the store is never away."""
    await asyncio.Event().wait()


async def at_once() -> None:
    """Returns at once, because updates can be read from the start."""


def as_it_is(text: str) -> str:
    """Returns the text, because no secret is known."""
    return text


async def none_to_clear(before: datetime, besides: Collection[str]) -> None:
    """Does nothing, because no copies are kept."""
    del before, besides


def heard_by_nobody(address: Address, text: str) -> None:
    """Does nothing, because no page shows what grows in a chat."""
    del address, text


async def no_fault() -> str:
    """Waits without an end, because no channel fails."""
    await never()
    return ""


async def without_commands() -> str:
    """Returns the words for a world in which no command can be run."""
    return "none"


async def no_walls() -> Walls:
    """Returns the walls of a world in which no command can be run."""
    return Walls.NONE


@frozen
class World:
    """The ports of the flow other than the store."""

    clock: Clock
    """The time of day, the steady time, and waiting."""
    channels: Mapping[str, Channel]
    """The open channels, by name."""
    models: Mapping[str, Model]
    """The models, by the name of their provider."""
    tools: Sequence[Tool]
    """The tools that touch the world: files, commands, pages, and what is sent."""
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
    inbox_folder: InboxFolder
    """Keeps the files that people send in their workspaces."""
    workspace_door: WorkspaceDoor
    """The guarded way to files whose changes are taken back."""
    persona: Persona
    """The owner's words about who the bot is."""
    packing: Packing
    """Makes the files that hand people what was said with them."""
    sounds: Sounds
    """Keeps voice notes until they are delivered."""
    templates: Templates
    """The stored plans for `/plan use`."""
    skills: Skills
    """The skills, each with the tool servers that it brings along."""
    cron: CronTimes
    """The calendar of the times of tasks."""
    moment_words: MomentWords
    """Reads words for a moment in the languages of people."""
    zones_at: ZonesAt
    """Knows the time zones on the map."""
    overhear: Overhear = heard_by_nobody
    """Shows on the page what grows in a chat; no words say that something does."""
    duties: Collection[Duty] = EVERY_DUTY
    """The part of all the work that this process does."""
    tags: Sequence[str] = ()
    """The names of the files that this worker has; none where every worker has all files."""
    folder_name: Callable[[Path], str] = str
    """Returns the name that a folder has on each machine."""
    life: str = field(default_factory=lambda: secrets.token_hex(4))
    """Names this life of the program, for the record of what a turn did in which one."""
    page: str = ""
    """The address of the page in the browser; empty when it is off."""
    hooks: Hooks | None = None
    """The hooks that other programs may call; None when no call is taken."""
    ready: Callable[[], Awaitable[None]] = at_once
    """Returns when stored updates can be read; they are stored before that too."""
    servers: Servers | None = None
    """Runs tool servers and lends their tools to chats; None when there are no servers."""
    meaning: MeaningIndex | None = None
    """Finds passages by their meaning; None when there are only words to go by."""
    descriptions: Descriptions | None = None
    """Finds skills and tools by their meaning; None when there are only words to go by."""
    charts: Charts | None = None
    """Draws charts; None when no picture is wanted."""
    hearing: Hearing | None = None
    """Hears voice messages; None when they stay unheard."""
    speaking: Speaking | None = None
    """Speaks answers; None when they stay unspoken."""
    own_servers: Sequence[ServerSpec] = ()
    """The operator's own tool servers."""
    searches: Mapping[str, OwnSearch] = field(default_factory=dict[str, OwnSearch])
    """The searches of the web that providers with a key make themselves."""
    tools_missing: Sequence[str] = ()
    """A sentence for each tool that a setting would add, for `/tools`."""
    commands_run: Callable[[], Awaitable[str]] = without_commands
    """Tells how commands run, as in “sandboxed, no network”."""
    walls: Callable[[], Awaitable[Walls]] = no_walls
    """Returns the walls around the commands of now."""
    clear_copies: ClearCopies = none_to_clear
    """Deletes copies of sent files that are older than a time, but for those that are named."""
    store_returned: Callable[[], Awaitable[None]] = never
    """Waits until the store has been away and is back."""
    store_works: Callable[[], bool] = it_works
    """Tells if nobody waits for the store to work again."""
    channel_faults: Callable[[], Awaitable[str]] = no_fault
    """Waits for a fault in the program of a channel, and returns the name of the channel."""
    reached: MutableMapping[str, Callable[[], bool | None]] = field(
        default_factory=dict[str, Callable[[], bool | None]]
    )
    """Tells of each channel if its platform is reached; None while another process listens there.

    A channel is in it as soon as this process listens to it, or stands by.
    """
    holds: Callable[[], Holds] = never_held
    """Returns how often the program kept everybody waiting."""
    conceal: Callable[[str], str] = as_it_is
    """Returns a text without the secrets that no log line shows either."""
