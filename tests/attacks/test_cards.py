"""Cards of hostile calls on real channels: all that will run is shown, and nothing shown can lie.

Every text is made of marks with hostile bits between them, so a test can tell what became of each
part of it, in whatever way a channel writes what cannot be seen.
"""

import random
import re
import sys
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from bot.adapters.mcp.remote import RemoteTool
from bot.adapters.mcp.server import Server
from bot.adapters.mcp.starting import StartServer
from bot.adapters.mcp.tool import ServerTool
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.adapters.terminal.channel import TerminalChannel
from bot.adapters.terminal.fragments import Fragments, plain
from bot.adapters.terminal.late_renderer import LateRenderer
from bot.adapters.terminal.layout import Layout
from bot.adapters.terminal.look import Look
from bot.adapters.terminal.screen import Screen
from bot.adapters.tools.command import RunCommand
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.writing_files import DeleteFile, EditFile, WriteFile
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.consent.pre_approval import pre_approved
from bot.domain.consent.rules import DOCUMENTS
from bot.domain.plans.plan import Plan, PlanState
from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Address, Outbound
from bot.domain.tools.server import ServerSpec
from bot.domain.tools.tool import Preview, ToolCall
from bot.domain.tools.variable import Variable
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.step import AskFirst
from bot.flow.approvals.cards import open_card
from bot.flow.approvals.decided_cards import decided_card
from bot.flow.plans import cards as plan_cards
from bot.flow.plans.steps import recorded
from bot.flow.skills.grant_offer import offer_of
from bot.ports.tool import Place, Tool
from tests.standins.bot_api import BotApi, Person
from tests.standins.serving import serving

SEED = 20261122
CASES = 12
"""Calls of each kind."""

_NOW = datetime(2026, 11, 22, tzinfo=UTC)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_BLANK = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\ufe0e\U000e0100"
_TRICKS = (
    "```\n",
    "</pre><b>x</b>&lt;&amp;",
    "**b** _i_ `c` [l](https://example.org) ![p](tg://user?id=1)",
    "\n✅ Approved by Ann · 2026-11-22 09:00 UTC\n",
    "\nReply to say what should be different · open for 99 h\n",
    "\r\n",
    "\r",
    "\t",
    "\n\n\n\n",
    "\x1b[2J\x1b[1A\x1b]0;x\x07",
    "\u202e\u2066\u2069\u200b\u200d\ufeff",
    "e\u0301" + "\u0301" * 40,
    "👩\u200d👩\u200d👧",
    "A" * 300,
    " " * 200,
    "\U0001d173\U000e0041\u00ad\u180e",
    "#" * 20,
    "| a | b |\n|---|---|\n",
    "$(x) `y` \\ \" '",
)
_MARK = re.compile(r"q[a-z]{5}z")


@cache
def controls() -> Sequence[str]:
    """All characters that steer a text and show nothing."""
    every = map(chr, range(1, sys.maxunicode))
    return [c for c in every if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]


class Hostile:
    """Makes texts of marks, each of which it makes once, and of bits that would hide or lie."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(f"{SEED} {seed}")
        self._made = 0

    def mark(self) -> str:
        self._made += 1
        number, letters = self._made, ""
        for _ in range(5):
            number, rest = divmod(number, 26)
            letters = chr(97 + rest) + letters
        return f"q{letters}z"

    def bit(self) -> str:
        kind = self.chance.random()
        if kind < 0.4:
            return "".join(self.chance.choices(controls(), k=self.chance.randint(1, 4)))
        return self.chance.choice(_BLANK) if kind < 0.5 else self.chance.choice(_TRICKS)

    def text(self, most: int = 12) -> str:
        """A text that begins and ends with a mark; sometimes far too long for a message."""
        length = self.chance.choice((1, 3, most, most * 30))
        bits = (f"{self.mark()}{self.bit()}" for _ in range(length))
        return "".join(bits) + self.mark()

    def name(self) -> str:
        """A file name, as far as a file system takes it."""
        bits = "".join(f"{self.mark()}{self.bit()}" for _ in range(self.chance.randint(1, 4)))
        text = f"{bits}{self.mark()}{self.chance.choice(('', '.md', '.sh'))}".replace("/", "|")
        return text if len(text.encode()) <= 250 else self.mark()


@dataclass(frozen=True)
class Asked:
    """A card, the texts that must stand on it whole, and the names that must stand on one line."""

    shown: Outbound
    whole: Sequence[str]
    names: Sequence[str] = ()
    clipped: Sequence[str] = ()
    """Names that may be shortened, but not spread over lines."""


Maker: TypeAlias = Callable[[Hostile, Path], Awaitable[Asked]]


def place(workspace: Path, skill: Skill | None = None) -> Place:
    return Place(workspace, 1, "turn", "conversation", 1, "UTC", skill=skill, mandate=PERSONAL)


def card(preview: Preview, chance: Hostile, group: int = 1) -> Approval:
    return Approval(
        id="card",
        token="t" * 22,
        chat=1,
        conversation="c",
        turn="t",
        call=ToolCall("call", "tool", "{}", {}),
        preview=preview,
        asker=1,
        asker_name=chance.text(),
        purpose=chance.text(),
        created_at=_NOW,
        expires_at=_NOW + timedelta(hours=24),
        group=group,
    )


async def previewed(tool: Tool, arguments: Mapping[str, Any], where: Place) -> Preview:
    tool.check(arguments)
    return await tool.preview(arguments, where)


async def of_write_file(chance: Hostile, workspace: Path) -> Asked:
    path, content = chance.name(), chance.text()
    preview = await previewed(WriteFile(), {"path": path, "content": content}, place(workspace))
    return Asked(open_card(card(preview, chance)), [content], [path])


async def of_edit_file(chance: Hostile, workspace: Path) -> Asked:
    path, old, new = chance.name(), chance.text(4), chance.text()
    (workspace / path).write_bytes(f"before\n{old}\nafter\n".encode())
    arguments = {"path": path, "old_text": old, "new_text": new}
    preview = await previewed(EditFile(), arguments, place(workspace))
    return Asked(open_card(card(preview, chance)), [old, new], [path])


async def of_delete_file(chance: Hostile, workspace: Path) -> Asked:
    path = chance.name()
    (workspace / path).touch()
    preview = await previewed(DeleteFile(), {"path": path}, place(workspace))
    return Asked(open_card(card(preview, chance)), [], [path])


async def of_run_command(chance: Hostile, workspace: Path) -> Asked:
    folder = workspace / "a-skill"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "x.py").touch()
    count = chance.chance.choice((1, 400))
    variables = [Variable(f"TEAM_{chance.mark()}", value="tea") for _ in range(count)]
    variables.append(Variable("TOKEN", value="s3cret", secret=True))
    skill = Skill("tea", "Makes tea.", "Boil.", str(folder), variables=tuple(variables))
    command = chance.text()
    if chance.chance.random() < 0.3:
        spelled = (f"{'./' * n}scripts/x.py" for n in range(chance.chance.choice((1, 250))))
        command = " ".join(["cat", *spelled, chance.mark()])
    asked = {"command": command}
    preview = await previewed(RunCommand(Sandbox(program=None)), asked, place(workspace, skill))
    shown = open_card(card(preview, chance))
    names = " ".join(sorted(variable.name for variable in variables))
    return Asked(shown, [command, names])


def served(chance: Hostile) -> ServerSpec:
    command = ("run", chance.text(), chance.mark())
    variables = ((f"A_{chance.mark()}", chance.text()),)
    by_url = chance.chance.random() < 0.3
    return ServerSpec(
        "notes",
        command=() if by_url else command,
        url=f"https://example.org/{chance.text()}" if by_url else "",
        skill="tea",
        folder=f"/{chance.text()}",
        env=variables,
        told_env=variables,
    )


async def of_servers_tool(chance: Hostile, workspace: Path) -> Asked:
    spec = served(chance)
    remote = RemoteTool(chance.text(), chance.text(), {"type": "object"})
    values = {chance.text(2): chance.text(), "list": [chance.text(2), {"deep": chance.text(2)}]}
    preview = await previewed(ServerTool(Server(spec), remote, workspace), values, place(workspace))
    said = [key for key in values if key != "list"]
    said += [str(values[key]) for key in said]
    return Asked(open_card(card(preview, chance)), said, clipped=[remote.name, spec.line])


async def of_a_skills_server(chance: Hostile, workspace: Path) -> Asked:
    spec = served(chance)
    preview = await previewed(StartServer(spec), {}, place(workspace))
    told = [f"{name}={value}" for name, value in spec.told_env]
    return Asked(open_card(card(preview, chance)), [spec.line, *told], clipped=[spec.folder])


async def of_what_a_skill_asks_for(chance: Hostile, workspace: Path) -> Asked:
    wishes = [f"Write({chance.mark()} {chance.bit()[:3]}{n}/**)" for n in range(20)]
    wishes += [f"Bash(ls {chance.mark()}:*)", "Bash(git:*)", "Read"]
    path, content = chance.name(), chance.text()
    skill = Skill("tea", "Makes tea.", "Boil.", "/", pre_approved=pre_approved(wishes))
    here = place(workspace, skill)
    write = WriteFile()
    preview = await previewed(write, {"path": path, "content": content}, here)
    call = ToolCall("call", "write_file", "{}", {"path": path, "content": content})
    tools: dict[str, Tool] = {"write_file": write, "run_command": RunCommand(Sandbox())}
    offer = await offer_of(skill, call, preview, here, tools, DOCUMENTS)
    assert offer is not None
    named = [str(r.pattern) for r in offer.rules if _MARK.search(str(r.pattern))]
    assert named
    shown = open_card(card(replace(preview, offer=offer), chance))
    return Asked(shown, [content, *named], [path, *named])


async def of_a_plan(chance: Hostile, workspace: Path) -> Asked:
    """A plan of calls of several kinds, one of which cannot be foreseen."""
    write, run = WriteFile(), RunCommand(Sandbox(program=None))
    wanted: list[tuple[Tool, dict[str, Any]]] = []
    for _ in range(chance.chance.randint(1, 12)):
        command = {"command": chance.text(3)}
        file = {"path": chance.name(), "content": chance.text(3)}
        wanted.append((run, command) if chance.chance.random() < 0.5 else (write, file))
    calls = [
        ToolCall(str(n), tool.spec.name, "", arguments)
        for n, (tool, arguments) in enumerate(wanted)
    ]
    gates = {
        call.id: AskFirst(await previewed(tool, arguments, place(workspace)))
        for call, (tool, arguments) in zip(calls, wanted, strict=True)
    }
    begun = Plan("p", "t" * 22, 1, 1, chance.text(), 1, _NOW, _NOW, PERSONAL)
    plan = replace(begun, title=chance.text(), summary=chance.text(), state=PlanState.READY)
    found = recorded(plan, calls, gates, {}, None, most=20)
    shown = plan_cards.card(replace(plan, steps=found.steps), 1)
    said = [str(value) for _, arguments in wanted for value in arguments.values()]
    return Asked(shown, said, clipped=[plan.title])


KINDS: tuple[Maker, ...] = (
    of_write_file,
    of_edit_file,
    of_delete_file,
    of_run_command,
    of_servers_tool,
    of_a_skills_server,
    of_what_a_skill_asks_for,
    of_a_plan,
)


async def cases(kind: Maker, folder: Path) -> Sequence[Asked]:
    """Cards of one kind; a call that gets no card is left out, which must be rare."""
    found: list[Asked] = []
    for number in range(CASES):
        workspace = folder / str(number)
        workspace.mkdir()
        try:
            found.append(await kind(Hostile(f"{kind.__name__} {number}"), workspace))
        except ToolFailure:
            continue
    assert len(found) > CASES // 2
    return found


@dataclass
class Seen:
    """What a person sees of a card: its messages, its documents, and its buttons."""

    text: str = ""
    documents: list[str] = field(default_factory=list[str])
    labels: list[str] = field(default_factory=list[str])
    messages: int = 1


@pytest.fixture
async def telegram() -> AsyncIterator[tuple[TelegramChannel, BotApi, Person]]:
    server = BotApi()
    async with serving(server.app) as url, TelegramApi(server.token, url) as api:
        ann = server.person()
        server.private_chat(ann)
        yield TelegramChannel(api, gated=False), server, ann


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
async def test_a_card_in_telegram_shows_all_that_will_run(
    kind: Maker, tmp_path: Path, telegram: tuple[TelegramChannel, BotApi, Person]
) -> None:
    channel, server, ann = telegram
    to = Address("telegram", str(ann.id))
    for asked in await cases(kind, tmp_path):
        before = len(server.screen(ann.id).from_bot)
        for piece in channel.split(asked.shown):
            await channel.send(to, piece)
        messages = server.screen(ann.id).from_bot[before:]
        files = [message.file for message in messages if message.file is not None]
        told = "\n".join(message.text for message in messages)
        documents = [file.data.decode() for file in files]
        labels = [label for message in messages for label in message.labels]
        check(asked, Seen(told, documents, labels, len(messages)))
        assert documents == [file.text for file in asked.shown.files]


class Wide(Look):
    """A terminal on which no line is wrapped, so that no mark is cut in two."""

    @property
    def width(self) -> int:
        return 1_000_000


class Paper:
    """A console that keeps what was printed."""

    def __init__(self) -> None:
        self.printed = ""

    look = Wide(dumb=True)

    async def show(self, fragments: Fragments) -> None:
        self.printed += plain(fragments)

    def refresh(self) -> None:
        pass


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
async def test_a_card_in_the_terminal_shows_all_that_will_run(kind: Maker, tmp_path: Path) -> None:
    for asked in await cases(kind, tmp_path):
        paper = Paper()
        channel = TerminalChannel(Screen(paper, Layout(LateRenderer())))
        (piece,) = channel.split(asked.shown)
        await channel.send(Address("terminal", "local"), piece)
        text, _, keys = paper.printed.rstrip("\n").rpartition("\n")
        check(asked, Seen(text, [text] if asked.shown.files else [], [keys]))


def check(asked: Asked, seen: Seen) -> None:
    """Holds what is seen against what will run."""
    shown = "\n".join((seen.text, *seen.documents))
    for text in asked.whole:
        assert in_order(text, shown), ascii(text[:200])
    for name in asked.names:
        # A card that is higher than the screen ends with its title again.
        found = set(lines_of(name, shown))
        assert len(found) == 1 or seen.documents
        assert any(in_order(name, line) for line in found), ascii(name)
    for name in asked.clipped:
        found = lines_of(name, seen.text)
        assert len(found) <= 1 or seen.documents
        assert all(len(line) < 500 for line in found)
    for text in (seen.text, *seen.documents, *seen.labels):
        hidden = {c for c in set(text) - {*"\n\t"} if unicodedata.category(c) in _UNSEEN}
        assert hidden == set(), ascii(hidden)
    assert all("\n" not in label and len(label) < 200 for label in seen.labels)
    assert seen.messages <= 3


def in_order(text: str, shown: str) -> bool:
    """Whether every mark of a text is shown, in the text's order."""
    marks = iter(_MARK.findall(shown))
    return all(mark in marks for mark in _MARK.findall(text))


def lines_of(name: str, shown: str) -> list[str]:
    """The lines that hold any part of a name."""
    marks = _MARK.findall(name)
    return [line for line in shown.split("\n") if any(mark in line for mark in marks)]


async def test_a_decided_card_is_one_line_that_nothing_in_it_can_break(
    tmp_path: Path, telegram: tuple[TelegramChannel, BotApi, Person]
) -> None:
    channel, server, ann = telegram
    to = Address("telegram", str(ann.id))
    chance = Hostile("decided")
    for number in range(CASES):
        (tmp_path / str(number)).mkdir()
        command = chance.text()
        tool = RunCommand(Sandbox(program=None))
        preview = await previewed(tool, {"command": command}, place(tmp_path / str(number)))
        opened = card(preview, chance)
        denied = replace(
            opened,
            state=ApprovalState.DENIED,
            decided_by=1,
            decider_name=chance.text(),
            decided_at=_NOW,
            reason=chance.text(),
        )
        shown = decided_card(denied, chance.text())
        before = len(server.screen(ann.id).from_bot)
        for piece in channel.split(shown):
            await channel.send(to, piece)
        messages = server.screen(ann.id).from_bot[before:]
        files = [m.file.data.decode() for m in messages if m.file is not None]
        (told,) = [m.text for m in messages if m.file is None]
        assert "\n" not in told
        assert told.startswith("✏️ Not run · ")
        check(Asked(shown, [command] if files else []), Seen(told, files, [], len(messages)))
        assert all(not m.buttons for m in messages)
