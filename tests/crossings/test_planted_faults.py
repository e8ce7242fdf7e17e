"""The judge of the crossings finds a fault of each class that it judges."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import pytest

from bot.adapters.sql.store import Store, open_store
from bot.adapters.terminal.channel import content_of
from bot.adapters.terminal.update import NAME as TERMINAL
from bot.adapters.tools.web import FetchArguments, SearchWithClaude, WebFetch
from bot.bootstrap.named_rules import NamedRules
from bot.domain.change import AddUsage, Change
from bot.domain.consent.approval import Rule
from bot.domain.consent.own_search import OwnSearch, decision
from bot.domain.money.provider import ANTHROPIC
from bot.domain.talk.message import (
    Address,
    Block,
    CodeBlock,
    FileRef,
    Inbound,
    InboundMessage,
    Outbound,
    Piece,
    Press,
    Unreadable,
)
from bot.domain.talk.person import Person, Role
from bot.domain.tools.run_place import Walls
from bot.domain.tools.server import ServerConsent
from bot.domain.tools.tool import (
    Effect,
    ExactRule,
    Preview,
    ToolCall,
    ToolOutput,
    ToolResult,
    ToolSpec,
)
from bot.domain.turn.mandate import Mandate
from bot.domain.turn.outcome import Outcome, StopReason
from bot.domain.turn.step import Gate
from bot.domain.turn.transcript import AskerBody
from bot.flow.application import Application
from bot.flow.approvals import cards, decisions
from bot.flow.log import tools as talks
from bot.flow.log.work import Work
from bot.flow.people import page_newcomers
from bot.flow.schedules import tools as schedule_tools
from bot.flow.schedules.task_shelf import TaskShelf
from bot.flow.turn import bounds, gatekeeper, replies, stances, tool_runner
from bot.flow.turn.grounds import Grounds
from bot.flow.turn.last_word import LastWord, LastWords
from bot.flow.turn.trusted_origins import TrustedOrigins
from bot.ports.card_page import StandingCard
from bot.ports.peers import NoPeers
from bot.ports.tool import Place, Tool
from tests.crossings.beside import Desk
from tests.crossings.case import Case
from tests.crossings.commands import INSIDE
from tests.crossings.commands import OUTSIDE as WITH_NETWORK
from tests.crossings.judge import faults
from tests.crossings.paged import Page
from tests.crossings.play import play
from tests.crossings.story import KEY, PRICE, Ran, Story, staged
from tests.crossings.talked import EVIL
from tests.crossings.two_channels import OTHER, Second, Terminal
from tests.fakes.channel import FakeChannel
from tests.lacking import working_sandbox
from tests.scenarios.stage import ANN, BOB, HOME
from tests.scenarios.tools import ScenarioTool


def _careless(tool: Tool) -> Tool:
    """A tool that says that it only reads."""
    if isinstance(tool, ScenarioTool):
        return replace(tool, spec=replace(tool.spec, effect=Effect.READ))
    return tool


def _twice(tool: Tool) -> Tool:
    """A tool whose work is done twice for one call."""
    if not isinstance(tool, ScenarioTool):
        return tool
    once = tool.act

    def act(arguments: Any, place: Any) -> Any:
        once(arguments, place)
        return once(arguments, place)

    return replace(tool, act=act)


def _silent(tool: Tool) -> Tool:
    """A tool whose cards do not tell of secrets."""
    return ScenarioTool(tool.spec, tool.act) if isinstance(tool, ScenarioTool) else tool


class _Hasty(WebFetch):
    """Fetches an address while its card is made."""

    async def foresee(self, arguments: FetchArguments, place: Place, exact: ExactRule) -> Preview:
        await self._fetched(arguments.url)
        return await super().foresee(arguments, place, exact)


class _Again(WebFetch):
    """Fetches an address twice for one card."""

    async def perform(
        self, arguments: FetchArguments, place: Place, seen: str | None
    ) -> ToolOutput:
        await self._fetched(arguments.url)
        return await super().perform(arguments, place, seen)


def _fetching(kind: type[WebFetch]) -> Callable[[Tool], Tool]:
    def odd(tool: Tool) -> Tool:
        return kind(tool._pages, tool._reader) if isinstance(tool, WebFetch) else tool

    return odd


def _same(tool: Tool) -> Tool:
    return tool


class _Nameless(FakeChannel):
    """A channel on which no card says what it is for."""

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        pieces = super().split(content, shown)
        return [
            Piece({**one.body, "text": str(one.body["text"]).replace("for “", "“")})
            for one in pieces
        ]


class _Echoing(FakeChannel):
    """A channel on which each message comes twice."""

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        await super().send(to, piece, once=once)
        return await super().send(to, piece, once=once)


class _Deaf(FakeChannel):
    """A channel on which the later wish is not understood."""

    def parse(self, body: str) -> Inbound:
        read = super().parse(body)
        later = isinstance(read, InboundMessage) and read.text.startswith("Later")
        return Unreadable("noise") if later else read


class _Indiscreet(FakeChannel):
    """A channel on which a link that signs somebody in is shown to others too."""

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        if "/enter#" in str(piece.body["text"]):
            await super().send(Address(to.channel, BOB.user_id), piece)
        return await super().send(to, piece, once=once)


def _on(channel: type[FakeChannel]) -> Callable[[Story], None]:
    def plant(story: Story) -> None:
        story.scene.channel = channel()

    return plant


class _Charging:
    """A journal that keeps each cost twice."""

    def __init__(self, journal: Any) -> None:
        self._journal = journal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    async def commit(self, change: Change) -> None:
        paid = [one for one in change.writes if isinstance(one, AddUsage)]
        again = [replace(one, call=f"{one.call} again") for one in paid]
        await self._journal.commit(replace(change, writes=(*change.writes, *again)))


def _charging(story: Story) -> None:
    store: Any = story.scene.store
    store.journal = _Charging(store.journal)


class _Sparing(_Charging):
    """A journal that keeps no cost."""

    async def commit(self, change: Change) -> None:
        free = tuple(one for one in change.writes if not isinstance(one, AddUsage))
        await self._journal.commit(replace(change, writes=free))


def _sparing(story: Story) -> None:
    store: Any = story.scene.store
    store.journal = _Sparing(store.journal)


def _leaking(story: Story) -> None:
    story.leaks = True


def _unwalled(story: Story) -> None:
    """No turn knows the walls that it began behind."""
    story.scene.walls = Walls.NONE


def _boasting(tool: Tool) -> Tool:
    """A tool whose cards tell of a sandbox that is not there."""
    return replace(tool, at=[INSIDE]) if isinstance(tool, ScenarioTool) else tool


class _Generous(NamedRules):
    """Rules that cover every card."""

    async def cover(self, data: str, names: Collection[str]) -> bool:
        return True


def _covering(story: Story) -> None:
    story.named_rules = _Generous


def _deaf(story: Story) -> None:
    """Whoever opens the terminal again wakes nothing."""
    story.stays_away = True


class _Mute(Terminal):
    """A terminal that does not say that its words belong to a chat elsewhere."""

    def parse(self, body: str) -> Inbound:
        read = super().parse(body)
        return replace(read, elsewhere="") if isinstance(read, InboundMessage) else read


def _echoless(story: Story) -> None:
    story.scene.terminal = _Mute(name=TERMINAL)


class _MutePage(Page):
    """A page whose words look as if they had been written on the platform."""

    def parse(self, body: str) -> Inbound:
        read = super().parse(body)
        return replace(read, elsewhere="") if isinstance(read, InboundMessage) else read


class _OfTheChat(Page):
    """A page on which whoever writes counts as the person whose chat it is."""

    def parse(self, body: str) -> Inbound:
        read = super().parse(body)
        if isinstance(read, InboundMessage | Press) and read.address == HOME:
            return replace(read, sender=replace(read.sender, user_id=ANN.user_id))
        return read


def _for_the_owner(story: Story) -> None:
    """The page takes whoever looks for an owner."""
    story.visits.seen_as = partial(replace, role=Role.OWNER)


def _of_the_chat(story: Story) -> None:
    story.scene.page = _OfTheChat(HOME, ANN)


def _echoless_page(story: Story) -> None:
    story.scene.page = _MutePage(HOME, ANN)


class _Forgetful(Desk):
    """A visitor that comes back without the marks of its visit."""

    async def open(self, application: Application, store: Store) -> None:
        self.marks = None
        await super().open(application, store)


class _Stammering(Desk):
    """A visitor that takes each version of a message for another message."""

    async def mirror(self, message_id: str, version: int, piece: Piece, *, old: bool) -> None:
        await super().mirror(f"{message_id}.{version}", version, piece, old=old)
        await super().mirror(message_id, version, piece, old=old)


class _Hesitant(Desk):
    """A visitor that shows no message while it can be pressed."""

    async def mirror(self, message_id: str, version: int, piece: Piece, *, old: bool) -> None:
        if not content_of(piece).buttons:
            await super().mirror(message_id, version, piece, old=old)


def _sitting(kind: type[Desk]) -> Callable[[Story], None]:
    def plant(story: Story) -> None:
        story.scene.desk = kind(HOME)

    return plant


def _elsewhere(story: Story) -> None:
    """The terminal shows another chat than the one that was asked for."""
    story.scene.desk = Desk(replace(HOME, channel=OTHER))


def _searching(story: Story) -> None:
    """The search is on, and nobody said so."""
    story.scene.searches = {ANTHROPIC: OwnSearch(PRICE, on=True)}


class _NoConsents:
    """Forgets what owners said about searches."""

    async def given(self) -> Sequence[ServerConsent]:
        return ()


def _unheeding(story: Story) -> None:
    store: Any = story.scene.store
    store.consents = _NoConsents()


def _free(tool: Tool) -> Tool:
    """A tool whose card names no price."""
    return SearchWithClaude("") if isinstance(tool, SearchWithClaude) else tool


class _AtAnyTime(SearchWithClaude):
    """A tool that is offered whether anybody is there or not."""

    def completed(self, spec: ToolSpec) -> ToolSpec:
        return spec


def _always_there(tool: Tool) -> Tool:
    return _AtAnyTime(PRICE) if isinstance(tool, SearchWithClaude) else tool


def _nothing(story: Story) -> None:
    del story


PRESSED, READONLY = Case(consent="press"), Case(origin="task", allowed="readonly")
OUTSIDE = Case(origin="task", consent="kept call", event="lower walls")
RECALLED, MEANT = Case(sight="recalled"), Case(sight="recalled by meaning")
AWAY = Case(event="channel away", consent="press")
OVER = Case(event="taken over", consent="press", store="postgres")
MEMBERS = Case(who="member", sight="page", act="fetch", consent="press")
BARE, CLOSED = (
    Case(walls="no sandbox", consent="press"),
    Case(place="project", consent="press", event="nobody there"),
)
NAMED = Case(place="project", act="danger", consent="yes to rule")
ELSEWHERE = Case(place="door", consent="yes to rule")
FETCH, SECRET = Case(sight="page", act="fetch"), Case(act="secret", consent="press")


TYPED = Case(beside="terminal", store="sqlite")
WRITTEN, ON_PAGE = Case(beside="page"), Case(beside="page", consent="press")
ALL = Case(beside="pages of all", store="sqlite")
AT_BOTH = Case(beside="terminal", store="sqlite", consent="press")
AWAY_FROM_IT = Case(beside="terminal", store="sqlite", event="nobody there", consent="rule")
OTHERS_CHAT = Case(beside="terminal", store="sqlite", place="second channel")
SEARCH, SEARCHED = Case(act="search"), Case(act="search", consent="no", later="retry")
BY_NIGHT = Case(act="search", origin="task")
SWITCHED, REFUSED = Case(act="search", consent="press"), Case(act="search", consent="no")
BY_KEPT_CALL = Case(act="search", origin="task", consent="kept call")
HEARD = Case(origin="voice")
LATER, TWICE = Case(later="voice", event="restart", consent="press"), Case(later="reply")
RUN = Case(origin="task", consent="press")
ONLY_LOOKS = Case(origin="task", allowed="readonly", sight="page", act="fetch")
NEWCOMER = Case(who="newcomer", place="own page")
ABOVE = Case(place="group", sight="said above", consent="owner's rule")
IN_MEMBERS = Case(who="member", place="group", consent="owner's rule")
BEFORE = replace(IN_MEMBERS, later="reply", then_by="other")
AFTER = Case(place="group", later="reply", then_by="other", consent="owner's rule")
TRUSTED = Case(who="member", place="group", sight="trusted page", consent="member's rule")
BY_HELPER, READ = replace(TRUSTED, through="errand"), replace(TRUSTED, sight="read above")
ONCE_TALKED = Case(place="group", sight="earlier talk", consent="owner's rule")
OTHERS_TASK = replace(ONCE_TALKED, sight="task list")
OF_EVE = Case(sight="earlier talk", consent="rule")
TAKEN_BACK = Case(who="member", consent="right taken back")
RUN_TAKEN_BACK = replace(TAKEN_BACK, origin="task")
OWNERS_PLAN = Case(
    origin="plan", place="group", later="reply", then_by="other", event="pressed late"
)
ENDS = Case(origin="task", allowed="readonly", act="end")
HALF, RESTARTED = Case(said="half", later="branch"), Case(event="restart", consent="press")


@pytest.mark.parametrize(
    ("case", "odd", "plant", "found"),
    [
        pytest.param(Case(), _careless, _nothing, "ran 1 times and was approved 0", id="unasked"),
        pytest.param(PRESSED, _twice, _nothing, "ran 2 times and was approved 1", id="twice"),
        pytest.param(SECRET, _silent, _nothing, "a secret that no approved card", id="secret"),
        pytest.param(READONLY, _careless, _nothing, "may only read changed", id="readonly"),
        pytest.param(PRESSED, _same, _on(_Nameless), "does not name its message", id="nameless"),
        pytest.param(PRESSED, _same, _on(_Echoing), "is on the screens twice", id="echo"),
        pytest.param(PRESSED, _same, _charging, "calls of the model were paid", id="cost"),
        pytest.param(RESTARTED, _same, _charging, "replies of the", id="cost of two lives"),
        pytest.param(RESTARTED, _same, _sparing, "replies of the model were", id="no cost"),
        pytest.param(HEARD, _same, _charging, "1 sounds were heard and 2 paid", id="sounds"),
        pytest.param(HEARD, _same, _sparing, "1 sounds were heard and 0 paid", id="no sound"),
        pytest.param(TWICE, _same, _on(_Deaf), "messages were said, and", id="deaf"),
        pytest.param(TWICE, _same, _on(_Deaf), "the model never read", id="unread"),
        pytest.param(NEWCOMER, _same, _on(_Indiscreet), "a link that signs", id="link"),
        pytest.param(OUTSIDE, _same, _unwalled, "no card of that place", id="walls"),
        pytest.param(RECALLED, _same, _leaking, "memory of somebody else", id="person"),
        pytest.param(MEMBERS, _fetching(_Hasty), _nothing, "fetched unasked", id="hasty"),
        pytest.param(MEMBERS, _fetching(_Again), _nothing, "fetched unasked", id="again"),
        pytest.param(BARE, _boasting, _nothing, "does not say that it runs on", id="boasting"),
        pytest.param(CLOSED, _same, _deaf, "owed and on no screen", id="closed"),
        pytest.param(NAMED, _same, _covering, "a rule that does not name it", id="danger by rule"),
        pytest.param(ELSEWHERE, _same, _covering, "a rule that does not", id="another folder"),
        pytest.param(MEANT, _same, _leaking, "memory of somebody else", id="person by meaning"),
        pytest.param(SEARCH, _same, _searching, "before an owner switched", id="searched unasked"),
        pytest.param(SEARCHED, _same, _unheeding, "offered again after", id="asked again"),
        pytest.param(SEARCH, _free, _nothing, "does not show its call", id="price"),
        pytest.param(BY_NIGHT, _always_there, _nothing, "a run offered a search", id="by night"),
    ],
)
async def test_a_planted_fault_is_found(
    case: Case, odd: Callable[[Tool], Tool], plant: Callable[[Story], None], found: str
) -> None:
    async with staged(case, odd=odd, plant=plant) as story:
        await play(story)
        assert any(found in fault for fault in faults(story))
    async with staged(case) as story:
        await play(story)
        assert faults(story) == []


@pytest.mark.parametrize(
    ("case", "odd", "plant", "found"),
    [
        pytest.param(TYPED, _same, _echoless, "stands 0 times on the platform", id="no echo"),
        pytest.param(WRITTEN, _same, _echoless_page, "the page, “", id="no echo of the page"),
        pytest.param(ON_PAGE, _twice, _nothing, "ran 2 times and was approved 1", id="page, too"),
        pytest.param(AT_BOTH, _twice, _nothing, "ran 2 times and was approved 1", id="both sides"),
        pytest.param(ALL, _same, _of_the_chat, "ran 1 times and was approved 0", id="who pressed"),
        pytest.param(ALL, _same, _of_the_chat, "the rights of Bob were", id="who gave rights"),
        pytest.param(ALL, _same, _for_the_owner, "the page lets Bob answer", id="whose card"),
        pytest.param(AWAY_FROM_IT, _same, _sitting(_Forgetful), "does not show", id="missed"),
        pytest.param(AT_BOTH, _same, _sitting(_Stammering), "in the terminal twice", id="twice"),
        pytest.param(AT_BOTH, _same, _sitting(_Hesitant), "never showed", id="no card"),
        pytest.param(OTHERS_CHAT, _same, _elsewhere, "no message of its chat", id="whose chat"),
    ],
)
async def test_a_fault_of_the_terminal_beside_is_found(
    case: Case,
    odd: Callable[[Tool], Tool],
    plant: Callable[[Story], None],
    found: str,
    sqlite_url: str,
) -> None:
    async with (
        open_store(sqlite_url) as store,
        staged(case, store, sqlite_url, odd=odd, plant=plant) as story,
    ):
        await play(story)
        assert any(found in fault for fault in faults(story))


async def test_a_page_that_takes_a_command_in_the_chat_of_somebody_else_is_found(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StandingCard, "takes", lambda *_: True)
    case = replace(ALL, who="member")
    async with open_store(sqlite_url) as store, staged(case, store, sqlite_url) as story:
        await play(story)
        assert any("the page lets Ann give a command" in fault for fault in faults(story))


@pytest.mark.parametrize("plant", [_charging, _sparing])
async def test_a_wrong_cost_is_found_on_a_real_store(
    plant: Callable[[Story], None], sqlite_url: str
) -> None:
    async with (
        open_store(sqlite_url) as store,
        staged(RESTARTED, replace(store), sqlite_url, plant=plant) as story,
    ):
        await play(story)
        assert any("were paid" in fault for fault in faults(story))


async def _speechless(*_: object) -> LastWord:
    """Ends a turn without a word."""
    return LastWord(Outcome(StopReason.FINAL_ANSWER, ""), None, leads_on=False)


def _first_words(work: Work) -> str:
    """Returns the first words of the chat, whatever a turn is about."""
    bodies = (entry.body for entry in work.log.entries())
    return next(body.purpose for body in bodies if isinstance(body, AskerBody))


def _shortened(preview: Preview) -> tuple[Sequence[Block], Sequence[FileRef]]:
    """Returns the beginning of a call alone."""
    return (CodeBlock(preview.blocks[0].text[:3]), *preview.blocks[1:]), ()


def _unmasked(text: str, place: Place) -> str:
    """Leaves secrets in a result."""
    return text


def _unbounded(gate: Gate, mandate: Mandate) -> Gate:
    """Lets a run that may only read ask for what it may not do."""
    return gate


def _inverted(provider: str, *, on: bool, at: datetime) -> ServerConsent:
    """Takes a yes to a search for a no, and a no for a yes."""
    return decision(provider, on=not on, at=at)


def _forgotten(*_: object) -> None:
    """Keeps nothing of an answer that is stopped."""


async def _any_rule(self: Grounds, call: ToolCall, place: Place, preview: Preview) -> Rule | None:
    """Returns a rule of anybody in the chat."""
    for person in range(1, 4):
        if rule := await _rule_of(self, call, replace(place, person=person), preview):
            return rule
    return None


_rule_of = Grounds._rule


def _own_words(body: AskerBody, _: object) -> str | None:
    """Takes the words of everybody in a group for the asker's."""
    return body.untrusted


def _lent_to_all(result: ToolResult, _: object) -> str | None:
    """Takes the trust of one person for that of all."""
    return result.untrusted


async def _trusted(
    self: TrustedOrigins, results: Sequence[ToolResult], place: Place
) -> Sequence[ToolResult]:
    """Looks for what the owner trusts, whoever asks."""
    judged = await _judged(self, results, replace(place, person=1))
    return [replace(one, trusted_by=one.trusted_by and place.person) for one in judged]


_judged = TrustedOrigins.judged


async def _of_nobody(*_: object) -> None:
    """Names no source of what a list hands on."""


def _named_by_nobody(*_: object) -> None:
    """Names no source of what an earlier conversation hands on."""


def _may_approve(*_: object) -> bool:
    """Lets everybody approve every call."""
    return True


def _agreed_by_anyone(*_: object) -> bool:
    """Takes what a member allowed for what an owner did."""
    return True


class _AllOwners:
    """The roles, of which each is the owner's."""

    MEMBER = Role.OWNER


@pytest.mark.parametrize(
    ("case", "where", "fault", "found"),
    [
        pytest.param(PRESSED, (LastWords, "at"), _speechless, "was never answered", id="silence"),
        pytest.param(LATER, (LastWords, "at"), _speechless, "was never answered", id="silences"),
        pytest.param(RUN, (LastWords, "at"), _speechless, "a task was never answered", id="run"),
        pytest.param(
            LATER, (Work, "purpose"), property(_first_words), "does not name its", id="other name"
        ),
        pytest.param(Case(), (cards, "whole"), _shortened, "does not show its call", id="cut"),
        pytest.param(
            SECRET, (tool_runner, "_without_secrets"), _unmasked, "a secret was shown", id="masks"
        ),
        pytest.param(
            ONLY_LOOKS, (gatekeeper, "bounded"), _unbounded, "may only read showed", id="asks"
        ),
        pytest.param(
            REFUSED, (decisions, "kept_decision"), _inverted, "switched on, and no owner", id="on"
        ),
        pytest.param(
            SWITCHED, (decisions, "kept_decision"), _inverted, "switched off, and no", id="off"
        ),
        pytest.param(
            BY_KEPT_CALL, (schedule_tools, "SEARCH_ASKERS"), (), "a card promises", id="promise"
        ),
        pytest.param(HALF, (replies, "_cut_off"), _forgotten, "should stay, and", id="half"),
        pytest.param(
            NEWCOMER, (page_newcomers, "Role"), _AllOwners, "ran 1 times and was", id="newcomer"
        ),
        pytest.param(
            IN_MEMBERS, (Grounds, "_rule"), _any_rule, "ran 1 times and was approved 0", id="rule"
        ),
        pytest.param(
            AFTER, (Grounds, "_rule"), _any_rule, "ran 2 times and was approved 1", id="rule later"
        ),
        pytest.param(
            ABOVE, (AskerBody, "untrusted_for"), _own_words, "ran 1 times and was", id="said above"
        ),
        pytest.param(
            BEFORE, (AskerBody, "untrusted_for"), _own_words, "ran 1 times and", id="asked before"
        ),
        pytest.param(
            READ, (ToolResult, "untrusted_for"), _lent_to_all, "ran 1 times and", id="read above"
        ),
        pytest.param(
            TRUSTED, (TrustedOrigins, "judged"), _trusted, "ran 1 times and was", id="trust"
        ),
        pytest.param(
            TRUSTED, (TrustedOrigins, "judged"), _trusted, "web_fetch handed on", id="trust, mark"
        ),
        pytest.param(
            BY_HELPER, (TrustedOrigins, "judged"), _trusted, "ran 1 times", id="helper's trust"
        ),
        pytest.param(
            ONCE_TALKED, (talks, "_foreign_source"), _named_by_nobody, "get_conv", id="talk"
        ),
        pytest.param(
            OF_EVE, (talks, "_foreign_source"), _named_by_nobody, "ran 1 times", id="talk, rule"
        ),
        pytest.param(
            OTHERS_TASK, (TaskShelf, "foreign"), _of_nobody, "list_tasks handed on", id="tasks"
        ),
        pytest.param(
            OTHERS_TASK, (TaskShelf, "foreign"), _of_nobody, "ran 1 times", id="tasks, rule"
        ),
        pytest.param(TAKEN_BACK, (gatekeeper, "_within"), _may_approve, "ran 1 times", id="right"),
        pytest.param(
            RUN_TAKEN_BACK, (gatekeeper, "_within"), _may_approve, "ran 1 times", id="right, run"
        ),
        pytest.param(
            RUN_TAKEN_BACK, (stances, "reaches"), _agreed_by_anyone, "ran 1 times", id="kept call"
        ),
        pytest.param(
            OWNERS_PLAN, (Person, "may_approve"), _may_approve, "ran 1 times", id="owner's plan"
        ),
        pytest.param(
            ENDS, (bounds, "END_CONVERSATION"), "", "only read ended a conv", id="readonly end"
        ),
    ],
)
async def test_a_fault_of_the_program_is_found(
    case: Case,
    where: tuple[object, str],
    fault: object,
    found: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(*where, fault)
    async with staged(case) as story:
        await play(story)
        assert any(found in told for told in faults(story))
    monkeypatch.undo()
    async with staged(case) as story:
        await play(story)
        assert faults(story) == []


@pytest.mark.commands
async def test_a_sandbox_with_network_that_no_card_told_of_is_found() -> None:
    await working_sandbox()
    async with staged(SECRET) as story:
        story.commands.sandboxes[INSIDE] = story.commands.sandboxes[WITH_NETWORK]
        await play(story)
        assert any("no card of that place" in fault for fault in faults(story))


@pytest.mark.commands
async def test_a_command_of_the_crossings_gets_its_secret_and_no_network() -> None:
    await working_sandbox()
    async with staged(SECRET) as story:
        await play(story)
        assert story.ran == [Ran("run", "first", KEY, INSIDE)]
        assert faults(story) == []


async def test_an_address_that_leaves_is_found() -> None:
    async with staged(FETCH) as story:
        await play(story)
        assert faults(story) == []
        story.pages.fetched.append(f"{EVIL}anything")
        assert any("was fetched unasked" in fault for fault in faults(story))


async def test_a_channel_that_is_never_served_again_is_found() -> None:
    async with staged(AWAY) as story:
        story.stays_away, story.looks = True, 60
        with pytest.raises(AssertionError, match="never comes to rest"):
            await play(story)


@pytest.mark.postgres
async def test_a_process_that_takes_nothing_over_is_found(postgres_emptied: str) -> None:
    async with AsyncExitStack() as first, AsyncExitStack() as later:
        store = await first.enter_async_context(open_store(postgres_emptied))
        other = await later.enter_async_context(open_store(postgres_emptied))
        second = Second(replace(other, owned_chats=None, peers=NoPeers()), first.aclose)
        staging = staged(OVER, store, postgres_emptied, second=second)
        story = await later.enter_async_context(staging)
        story.looks = 60
        with pytest.raises(AssertionError, match="never comes to rest"):
            await play(story)
