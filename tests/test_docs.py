"""The documentation says what the program does; its links and diagrams are whole."""

import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from bot.adapters.apscheduler.calendar import CronCalendar
from bot.adapters.lanes.embedded_lanes import EmbeddedLanes
from bot.adapters.sql.tables import METADATA
from bot.domain.clock.zones import Zones
from bot.domain.consent.rules import DOCUMENTS, describe
from bot.domain.talk.chat import Chat
from bot.domain.talk.limits import Limits, ModelTimes, ScheduleBounds
from bot.domain.talk.rights import UNBOUND
from bot.domain.tools.house import HOUSE
from bot.domain.tools.tool import Code, PathRule, ReadingRule, Status
from bot.domain.turn.outcome import StopReason
from bot.flow.approvals.clocks import Clocks
from bot.flow.approvals.open_cards import OpenCards
from bot.flow.approvals.owners import Owners
from bot.flow.approvals.rule_commands import RuleCommands
from bot.flow.approvals.undecided import CardEnding
from bot.flow.commanding.switches import QUEUE
from bot.flow.commanding.table import Command
from bot.flow.commands.answers import AnswerCommands
from bot.flow.commands.card_commands import CardCommands
from bot.flow.commands.feedback import FeedbackCommands
from bot.flow.commands.greeting import GreetingCommands
from bot.flow.commands.status_parts import OverviewCommands
from bot.flow.commands.stopping import StopCommands
from bot.flow.commands.tool_list import ToolCommands
from bot.flow.commands.turn_commands import TurnCommands
from bot.flow.groups.commands import GroupCommands
from bot.flow.log.opinions import Opinions
from bot.flow.memory.commands import MemoryCommands
from bot.flow.memory.exporting import ExportCommands
from bot.flow.memory.forgetting import ForgettingCommands
from bot.flow.memory.recall import Recall
from bot.flow.models.choosing import Choosing, ModelOffer
from bot.flow.models.commands import ModelCommands
from bot.flow.models.model_calls import ModelCalls
from bot.flow.models.own_searches import OwnSearches
from bot.flow.models.preamble import PreambleMaker
from bot.flow.money.budgets import BudgetCommands
from bot.flow.money.subjects import Subjects
from bot.flow.money.till import Till
from bot.flow.money.usage import UsageCommands
from bot.flow.people.commands import PeopleCommands
from bot.flow.people.knocks import Knocks
from bot.flow.people.letting_in import LettingInCommand
from bot.flow.people.linking import LinkCommand
from bot.flow.people.page_newcomers import PageNewcomers
from bot.flow.people.personal import PersonalCommands
from bot.flow.people.revoking import RevokeCommand
from bot.flow.people.signing_in import LoginCommand
from bot.flow.plans.commands import PlanCommands
from bot.flow.plans.desk import PlanDesk
from bot.flow.plans.turn_end import PlanEnding
from bot.flow.schedules.calls import TaskCalls
from bot.flow.schedules.commands import TaskCommands
from bot.flow.schedules.day_bounds import DayBounds
from bot.flow.schedules.firing import Firing
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.rezoning import Rezoning
from bot.flow.schedules.task_pages import TaskWords
from bot.flow.schedules.timetable import Timetable
from bot.flow.skills.commands import SkillCommands
from bot.ports.inbox import InboundRow
from bot.settings import SettingLine, read_settings
from tests.fakes.clock import FakeClock
from tests.fakes.moment_words import FakeMomentWords
from tests.fakes.packing import FakePacking
from tests.fakes.skills import FakeSkills
from tests.fakes.store import MemoryStore
from tests.fakes.templates import FakeTemplates

ROOT = Path(__file__).resolve().parents[1]
_PLACES = ("*.md", "docs/**/*.md", "plans/*.md", "skills/*.md")
PAGES = sorted(page for place in _PLACES for page in ROOT.glob(place))
WITH_SETTINGS = [*PAGES, ROOT / ".env.example", ROOT / "docker-compose.yml"]
OPERATING = ROOT / "docs" / "operating.md"
SETTINGS = ROOT / "docs" / "settings.md"
LOOP = ROOT / "docs" / "internals" / "tool_loop.md"
GLOSSARY = ROOT / "docs" / "internals" / "glossary.md"

_COUNTED = re.compile(r"\d+ (of \d+ )?settings\b")
_SETTING = re.compile(r"\b(?:STEWARD|ANTHROPIC|TELEGRAM|DISCORD)_[A-Z_]*[A-Z]\b")
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^( *)(`{3,})(\w*)\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"\bbot/[\w/]+\.py\b")
_ROW = re.compile(r"^\| `(bot/[\w/.]+)` \| (.*) \|$", re.MULTILINE)
_WORD = re.compile(
    r"^\| ([\w -]+) \| [A-Z][^|]*[^.|]\. \| \[`([\w/.]+)`\]\(\.\./\.\./bot/\2\) \|$", re.MULTILINE
)
_RIDDLE = re.compile(r"(?:What|Whether|Where|How|Who|Whom|Whose|Why|None|All that)\b")
_PLAIN = ("alembic", "benchmarks", "bot", "pictures")
"""Folders whose docstrings begin with a verb or a noun."""

_KINDS = ("flowchart", "sequenceDiagram", "stateDiagram-v2")
_OPENERS = {
    "sequenceDiagram": ("alt", "loop", "opt", "par", "critical", "break", "rect", "box"),
    "flowchart": ("subgraph",),
    "stateDiagram-v2": (),
}


@pytest.fixture
def lines(tmp_path: Path) -> Sequence[SettingLine]:
    return read_settings({}, tmp_path).lines


def test_every_setting_named_anywhere_exists(lines: Sequence[SettingLine]) -> None:
    known = {line.name for line in lines}
    known |= {f"{line.name}_FILE" for line in lines if line.secret}
    shared = (ROOT / "tests").glob("*.py")
    for_tests = {name for path in shared for name in _SETTING.findall(path.read_text())}
    named = {name for page in WITH_SETTINGS for name in _SETTING.findall(page.read_text())}
    assert named >= {"STEWARD_HOME", "TELEGRAM_BOT_TOKEN"}
    assert named - known - for_tests == set()


def test_every_setting_is_in_the_table_with_its_default_and_sentence(
    lines: Sequence[SettingLine], tmp_path: Path
) -> None:
    rows = SETTINGS.read_text().splitlines()
    missing = [row for line in lines if (row := _row(line, tmp_path)) not in rows]
    assert missing == []


def test_no_page_counts_the_settings_so_that_a_new_one_is_one_row() -> None:
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    counting = [page.name for page in pages if _COUNTED.search(page.read_text())]
    assert (len(pages) > 20, counting) == (True, [])


def test_the_example_names_settings_by_their_defaults(lines: Sequence[SettingLine]) -> None:
    defaults = {line.name: line.value for line in lines}
    shown = dict(re.findall(r"^#(\w+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert shown["STEWARD_MODEL"] == defaults["STEWARD_MODEL"]
    assert {"ANTHROPIC_API_KEY", "TELEGRAM_BOT_TOKEN", "STEWARD_OWNERS"} <= set(shown)


def test_every_number_of_a_turn_is_explained_in_the_loop() -> None:
    explained = set(_SETTING.findall(LOOP.read_text()))
    limits = {f"STEWARD_{name.upper()}" for name in Limits.__dataclass_fields__}
    times = {f"STEWARD_MODEL_{name.upper()}" for name in ModelTimes.__dataclass_fields__}
    assert (limits | times) - explained == set()


def test_the_loop_explains_every_result_and_stop_reason_that_can_be() -> None:
    text = LOOP.read_text()
    sources = "".join(path.read_text() for path in (ROOT / "bot").rglob("*.py"))
    codes = [code.name for code in Code if f"Code.{code.name}" in sources]
    statuses = [status.name for status in Status if f"Status.{status.name}," in sources]
    reasons = [reason.name for reason in StopReason if f"(StopReason.{reason.name}" in sources]
    assert (len(codes) > 5, len(statuses) > 3, len(reasons) > 5) == (True, True, True)
    assert [name for name in (*codes, *statuses, *reasons) if name not in text] == []


def test_every_command_is_on_its_page() -> None:
    page = (ROOT / "docs" / "commands.md").read_text().replace("\\|", "|")
    table = _commands()
    assert {"start", "stop", "rules"} <= {command.name for command in table}
    assert [command.form for command in table if f"| `{command.form}` |" not in page] == []
    parts = [part.partition("\n") for part in page.split("\n## ")[1:]]
    told = {topic: body for topic, _, body in parts}
    assert [c.name for c in table if f"`/{c.name}" not in told[c.topic]] == []


def test_every_tool_is_on_the_page_of_commands() -> None:
    page = (ROOT / "docs" / "commands.md").read_text().partition("\n## The tools\n")[2]
    assert "run_command" in HOUSE
    assert [name for name in HOUSE if f"`{name}`" not in page] == []


def test_the_sample_of_a_skills_wishes_says_what_cards_say() -> None:
    rules = {"run_command": ReadingRule(("git",)), "write_file": PathRule("notes")}
    shown = [f"• {describe(tool, rule)}" for tool, rule in rules.items()]
    page = (ROOT / "docs" / "skills.md").read_text()
    assert re.findall(r"^• .*$", page, re.MULTILINE) == shown


def test_each_number_is_one_decision() -> None:
    folder = ROOT / "docs" / "decisions"
    pages = sorted(set(folder.glob("*.md")) - {folder / "README.md"})
    numbers = [int(page.name[:4]) for page in pages]
    assert numbers == list(range(1, len(pages) + 1))
    heads = [page.read_text().split(maxsplit=2)[:2] for page in pages]
    assert heads == [["#", f"{number}."] for number in numbers]


def test_every_module_named_exists() -> None:
    named = {name for page in PAGES for name in _MODULE.findall(page.read_text())}
    assert "bot/domain/loop/verdict.py" in named
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_the_architecture_tells_of_every_room_in_its_own_words() -> None:
    rows = dict(_ROW.findall((ROOT / "docs" / "internals" / "architecture.md").read_text()))
    flow, adapters = ROOT / "bot" / "flow", ROOT / "bot" / "adapters"
    rooms = [*flow.glob("*/__init__.py"), *adapters.glob("*/__init__.py")]
    files = [*flow.glob("*.py"), *adapters.glob("*.py")]
    halls = [path for path in files if path.name != "__init__.py"]
    assert (len(rooms) > 20, len(halls) >= 10) == (True, True)
    said = {f"{path.parent.relative_to(ROOT)}/": _first_sentence(path) for path in rooms}
    said |= {str(path.relative_to(ROOT)): _first_sentence(path) for path in halls}
    assert rows == said


def test_the_architecture_tells_of_every_table() -> None:
    page = (ROOT / "docs" / "internals" / "architecture.md").read_text()
    section = page.partition("\n## Tables\n")[2].partition("\n## ")[0]
    rows = [row.split(" | ")[0] for row in section.splitlines() if row.startswith("| `")]
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert told == set(METADATA.tables)


def test_the_glossary_has_its_words_in_order_each_with_a_sentence_and_a_file() -> None:
    rows = _WORD.findall(GLOSSARY.read_text())
    words = [word for word, _ in rows]
    table = [line for line in GLOSSARY.read_text().splitlines() if line.startswith("| ")]
    assert len(words) == len(table) - 1 > 80
    assert words == sorted(set(words), key=str.lower)
    wanted = {"card", "set aside", "lane", "fence", "desk", "seam", "epoch", "companion"}
    assert wanted | {"surroundings", "stance", "share", "knock"} <= set(words)
    assert [path for _, path in rows if not (ROOT / "bot" / path).is_file()] == []
    assert [(word, path) for word, path in rows if not _has_word(path, word)] == []


def test_a_file_without_the_word_is_found() -> None:
    assert _has_word("flow/log/closing.py", "synthetic result")
    assert not _has_word("flow/log/closing.py", "embedder")


def test_every_room_of_the_flow_is_reached_from_a_word_and_the_words_from_the_first_pages() -> None:
    reached = {path.split("/")[1] for _, path in _WORD.findall(GLOSSARY.read_text()) if "/" in path}
    rooms = {path.parent.name for path in (ROOT / "bot" / "flow").glob("*/__init__.py")}
    assert len(rooms) > 10
    assert rooms - reached == set()
    for page in (ROOT / "README.md", ROOT / "docs" / "internals" / "architecture.md"):
        assert any(link.endswith("glossary.md") for link in _LINK.findall(page.read_text()))


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    modules = [path for folder in _PLAIN for path in sorted((ROOT / folder).rglob("*.py"))]
    said = {(path, text) for path in modules for text in _docstrings(path)}
    assert (len(modules) > 100, len(said) > 500) == (True, True)
    riddles = {(path.relative_to(ROOT), text) for path, text in said if _RIDDLE.match(text)}
    assert riddles == set()


def test_docstrings_of_fields_and_functions_were_looked_at(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    shown = ("What a module has.", "Who is asked.", "How it goes.")
    form = '"""{}"""\n\nLIMIT = 1\n"""{}"""\n\n\ndef go() -> None:\n    """{}"""\n'
    module.write_text(form.format(*shown))
    assert [text for text in _docstrings(module) if _RIDDLE.match(text)] == list(shown)


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    wanted += project["dependency-groups"]["docs"]
    declared = {re.split(r"[^\w.-]", requirement)[0] for requirement in wanted}
    reasons = next((ROOT / "docs" / "decisions").glob("0009-*.md")).read_text()
    assert "anthropic" in declared
    assert [name for name in sorted(declared) if f"`{name}`" not in reasons] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    text = _FENCE.sub("", page.read_text())
    broken = [link for link in _LINK.findall(text) if not _leads_somewhere(page, link)]
    assert broken == []


def test_no_page_is_half_merged() -> None:
    mark = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
    assert ROOT / "CHANGELOG.md" in PAGES
    assert mark.search("- One.\n<<<<<<< HEAD\n") is not None
    assert [page.name for page in PAGES if mark.search(page.read_text())] == []


def test_links_were_looked_at() -> None:
    links = [link for page in PAGES for link in _LINK.findall(page.read_text())]
    assert sum("#" in link and "://" not in link for link in links) > 2
    assert not _leads_somewhere(OPERATING, "nowhere.md")
    assert not _leads_somewhere(OPERATING, "settings.md#no-such-heading")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_diagrams_are_well_formed(page: Path) -> None:
    assert [fault for diagram in _diagrams(page) for fault in _faults(diagram)] == []


def test_diagrams_were_looked_at() -> None:
    diagrams = [diagram for page in PAGES for diagram in _diagrams(page)]
    assert {diagram.split()[0] for diagram in diagrams} == set(_KINDS)


@pytest.mark.parametrize(
    "diagram",
    [
        "pie\n  a: 1\n",
        'flowchart TD\n  a["open --> b\n',
        "sequenceDiagram\n  loop ever\n  A->>B: x\n",
        "sequenceDiagram\n  A->>B: one; two\n",
        "sequenceDiagram\n  participant Loop as x\n",
    ],
)
def test_a_malformed_diagram_is_told(diagram: str) -> None:
    assert list(_faults(diagram)) != []


def _row(line: SettingLine, folder: Path) -> str:
    value = line.value.replace(f"{folder}/", "")
    shown = f"`{value}`" if value else "not set"
    return f"| `{line.name}` | {shown} | {line.sentence} |"


def _has_word(path: str, word: str) -> bool:
    """Tells if a file has a word of the glossary, in any of its forms, in its name or its text."""
    text = path + (ROOT / "bot" / path).read_text()
    return any(part[:4].lower() in text.lower() for part in re.split(r"[ -]", word))


def _first_sentence(module: Path) -> str:
    return (ast.get_docstring(ast.parse(module.read_text())) or "").partition("\n")[0]


def _docstrings(module: Path) -> list[str]:
    """Returns the docstrings of a module, its classes and functions, and those under values."""
    bodies = (getattr(node, "body", None) for node in ast.walk(ast.parse(module.read_text())))
    lines = [line for body in bodies if isinstance(body, list) for line in body]
    return [
        line.value.value
        for line in lines
        if isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    ]


def _leads_somewhere(page: Path, link: str) -> bool:
    if "://" in link or link.startswith("mailto:"):
        return True
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return False
    return not anchor or anchor in _anchors(target.read_text())


def _anchors(text: str) -> set[str]:
    """Returns the anchors of headings: small letters, no punctuation, dashes for spaces."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _diagrams(page: Path) -> list[str]:
    found = _FENCE.findall(page.read_text())
    return [body for _, _, language, body in found if language == "mermaid"]


def _faults(diagram: str) -> Iterator[str]:
    """Yields faults of the basic syntax: kind, quotes, brackets, blocks, reserved names."""
    kind = next((kind for kind in _KINDS if diagram.startswith(kind)), None)
    if kind is None:
        yield f"a kind nobody knows: {diagram[:20]}"
        return
    rows = [row.strip() for row in diagram.splitlines()[1:] if row.strip()]
    first = [row.split()[0] for row in rows]
    opened = sum(word in _OPENERS[kind] for word in first)
    if opened != first.count("end"):
        yield f"{opened} blocks, {first.count('end')} ends"
    for row in rows:
        bare = re.sub(r'"[^"]*"', "", row)
        if '"' in bare or (kind == "flowchart" and not _balanced(bare)):
            yield f"quotes or brackets: {row}"
        if kind == "sequenceDiagram" and ";" in row:
            yield f"a semicolon ends a line: {row}"
        named = re.match(r"(?:participant|actor) (\w+)", row)
        if named and named[1].lower() in (*_OPENERS[kind], "end", "note"):
            yield f"a reserved name: {named[1]}"


def _balanced(row: str) -> bool:
    open_ones: list[str] = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for sign in row:
        if sign in pairs.values():
            open_ones.append(sign)
        elif sign in pairs and (not open_ones or open_ones.pop() != pairs[sign]):
            return False
    return not open_ones


async def _drain(chat: int) -> None:
    """Has nothing to do."""


async def _no_message(waiting: Sequence[InboundRow], chat: Chat) -> None:
    """Finds none."""


def _commands() -> list[Command]:
    store, clock = MemoryStore(), FakeClock()
    journal, approvals, ledger = store.journal, store.approvals, store.ledger
    lanes = EmbeddedLanes(_drain, clock)
    clocks = Clocks(store.people)
    open_cards = OpenCards(journal, approvals, store.turns, store.chats, lanes, clocks)
    cards = CardEnding(open_cards, approvals, journal, lanes, clock)
    plans = PlanDesk(journal, store.plans, store.chats, store.outbox, lanes, clock)
    ending = PlanEnding(store.people, Owners(store.people, store.members, {}))
    till = Till(ledger, journal, store.people, Zones(), clock, {})
    models = ModelCalls({}, till, clock, ModelTimes())
    choosing = Choosing(models, FakeSkills(), ModelOffer("demo/demo"))
    login = LoginCommand(store.sessions, store.sessions, clock, "")
    recall = Recall(store.memory, store.words, None, store.journal, clock)
    subjects = Subjects(ledger, store.people, store.chats, Zones())
    skills = FakeSkills()
    preamble = PreambleMaker(tuple, skills)
    scheduled, timetable = store.scheduled, Timetable(CronCalendar(), FakeMomentWords())
    making = TaskMaking(scheduled, timetable, store.chats, store.people, Zones())
    rezoning = Rezoning(scheduled, store.chats, making, clock)
    days = DayBounds(scheduled, ScheduleBounds())
    firing = Firing(
        scheduled, journal, store.chats, store.turns, timetable, days, timedelta(hours=1)
    )
    knocks = Knocks(store.outbox)
    newcomers = PageNewcomers(store.people, store.members, clock, login)
    groups = (
        GreetingCommands(list),
        LettingInCommand(store.people, store.chats, knocks, clock, newcomers),
        LinkCommand(store.people, store.members, store.outbox, knocks, clock),
        PeopleCommands(store.people, store.members, preamble, clock, UNBOUND, Zones()),
        RevokeCommand(store.people, store.members, cards, knocks, clock, login),
        login,
        TurnCommands(journal, store.chats, approvals, cards, plans, clock, choosing),
        StopCommands(journal, store.inbox, approvals, cards, plans, _no_message),
        PlanCommands(store.plans, plans, ending, FakeTemplates(), store.inbox, clock),
        CardCommands(approvals, store.members, store.plans, store.outbox, clock),
        RuleCommands(approvals, store.rules, store.consents, journal, clock, DOCUMENTS, ()),
        GroupCommands({}, {}),
        MemoryCommands(store.notes, store.memory, recall),
        ExportCommands(
            store.belongings,
            store.notes,
            store.goals,
            store.feedback,
            journal,
            FakePacking(),
            Zones(),
        ),
        FeedbackCommands(store.feedback, Opinions(store.turns, journal, clock)),
        ForgettingCommands(store.memory, store.notes, journal, clock),
        AnswerCommands(12_000, {}),
        SkillCommands(skills, preamble),
        ToolCommands(preamble, (), OwnSearches(store.consents, {}), clock),
        ModelCommands(choosing),
        UsageCommands(ledger, subjects, Zones(), clock, None),
        BudgetCommands(till, ledger, clock),
        OverviewCommands(()),
        PersonalCommands(Zones(), clock, rezoning.writes, {}),
        TaskCommands(
            scheduled,
            making,
            firing,
            TaskWords(scheduled, timetable),
            TaskCalls(scheduled, approvals, clock),
            clock,
        ),
    )
    return [QUEUE.command(), *(command for group in groups for command in group.table)]


def test_the_changelog_begins_with_the_version_of_the_package() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    told = (ROOT / "CHANGELOG.md").read_text()
    versions = re.findall(r"^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$", told, re.MULTILINE)
    assert versions[0] == version
    newest = told.partition(f"## {version} - ")[2].partition("\n## ")[0]
    kinds = re.findall(r"^### (.+)$", newest, re.MULTILINE)
    assert len(kinds) == len(set(kinds)) > 0
