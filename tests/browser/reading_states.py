"""The pages for people who look, full, empty, and with words that are meant to be more."""

from datetime import UTC, datetime
from typing import Any

from bot.adapters.web import orders
from bot.adapters.web.found import FoundChat
from bot.adapters.web.frame import Frame
from bot.adapters.web.orders import OrderAnswer
from bot.adapters.web.pages.card_views import card_view
from bot.adapters.web.pages.giving import Back, Question, Return
from bot.adapters.web.rendering.blocks import block_view
from bot.adapters.web.shown import ListedChat
from bot.domain.talk.message import Button, CodeBlock, Markdown, Plain
from bot.domain.value import replace
from bot.ports import (
    card_page,
    doctor_page,
    memory_page,
    now_page,
    search_page,
    server_page,
    skill_page,
)
from bot.ports import turn_page as told
from bot.ports.listed import Ways
from bot.ports.people_page import PeoplePage, PersonLine, RightsNow
from bot.ports.rules_page import RuleLine, RuleOffer, RulesPage
from bot.ports.settings_page import ChatSwitches, SettingRow, SwitchLine

_WAYS = Ways("x~1~y", "x~2~y")
_FIGURE = told.Figure("Cost", "$0.0125")


def _frame(title: str, here: Any, name: str) -> Frame:
    return Frame(title, here, 1, name, "token", owner=True)


def _turn(x: str) -> dict[str, Any]:
    bars = ("queue", "span", "model", "lost", "gap", "tool", "person", "sent")
    rows = tuple(
        told.FallRow(
            "ring",
            n % 3,
            f"{x} {kind}",
            told.Bar(kind, n * 12.0, 8.0),
            kind == "tool",
            "4.4 s",
            "14,422",
            "91 %",
            "$0.01",
            n,
            event=kind == "gap",
        )
        for n, kind in enumerate(bars)
    )
    items = (
        told.ViewItem(x, x, "new", "12"),
        told.ViewItem(x, x, "", "10 → 2", "gone", x, x),
        told.ViewItem(x, x, "from cache", "9", "outside"),
        told.ViewItem(x, "", "new", "9", whole=x),
    )
    page = told.TurnPage(
        "t1",
        f"“{x}”",
        x,
        x,
        (told.Figure("Ended", "Answered"), told.Figure("Model", x), _FIGURE),
        told.Fall(rows, (told.FoldMark(40.0, 8.0, "12 min"),), "17:58", "18:10", foldable=True),
        (told.DecisionLine("17:58:02", x, x),),
        (told.AskedCall(x, (told.Reason("Rule", x), told.Reason("Because of", x, outside=True))),),
        (told.AllowedCall(x, x),),
        (told.Remark(x, x),),
        told.RoundView(2, "request", items, 1, "7"),
        "parent",
    )
    parts = {part: part.capitalize() for part in told.PARTS}
    look = told.TurnLook(2)
    frame = _frame(x, "chat", x)
    return {"frame": frame, "page": page, "look": look, "parts": parts, "talk": "web:1"}


def _cards(x: str) -> dict[str, Any]:
    card = card_page.WaitingCard(
        "c1",
        1,
        "card:c1",
        x,
        (CodeBlock(f"--- a\n+++ b\n-{x}\n+{x}!", "diff"), Plain(x)),
        x,
        (told.Reason("Effect", x), told.Reason("Because of", x, outside=True)),
        (
            (Button("✅ Approve", "a"),),
            (Button("❌ Deny", "b"), Button("✏️ Change…", "c", "Which words?")),
            (Button("⏹ Stop the work", "d"),),
        ),
        "9 min old",
        "23 h left",
        (x,),
        seconds=700,
    )
    rows = tuple(
        card_page.DecidedCard(x, x, x, n == 0, n == 1, x, "17:46", "1.4 s", n == 0, "t1", x, (0, 1))
        for n in range(3)
    )
    consent = card_page.ConsentFigures(
        9,
        48,
        48,
        "0.31",
        "0.44",
        "9.0 s",
        "8.0 s",
        4,
        9,
        (4, 11, 16, 9, 5, 3),
        (card_page.ConsentOf(x, 29, "7.0 s", 4),),
        (card_page.SavingRule(x, x, x),),
    )
    page = card_page.CardsPage((card,), Ways(), rows, Ways(), consent)
    frame = _frame("Cards", "cards", x)
    cards = [card_view(card)]
    return {
        "frame": frame,
        "page": page,
        "cards": cards,
        "ways": _WAYS,
        "query": "",
        "decided_ways": _WAYS,
        "talks": {7: "telegram:7"},
    }


def _now(x: str) -> dict[str, Any]:
    page = now_page.NowPage(
        x,
        (now_page.RunLine("t1", x, x, x, "4 s", stops=True),),
        (now_page.WaitLine("c1", x, x, x, "17 min", 1_030),),
        (now_page.TaskLine(x, x, x, x, good=True, next=x, id="a1", verbs=("run", "pause")),),
        (now_page.GoalLine("g1", x, x, ("run", "resume")),),
        tuple(now_page.ChannelLine(x, x, 2, "5 min", told) for told in (True, False, None)),
        (now_page.ModelLine(x, x, "1", "$1"), now_page.ModelLine(x, "", "1", "$1")),
        x,
        (x,),
        (told.Figure("Version", x),),
        frozenset({"runs", "waits", "tasks", "goals", "hooks"}),
    )
    return {"frame": _frame("Now", "now", x), "page": page, "answer": _answer(x)}


def _answer(x: str) -> OrderAnswer:
    return OrderAnswer(block_view(Markdown(f"{x} **now**.")), ((x, f"/rights {x}"),))


def _people(x: str) -> dict[str, Any]:
    rights = RightsNow("changes", "on", x, "20/min,200/h")
    lines = tuple(
        PersonLine(x, role, n == 0, (x, "web:5"), x, x, x, (x, x), rights if n else None)
        for n, role in enumerate(("owner", "member"))
    )
    levels = (("off", "only talk"), ("changes", "approve changes of files"))
    more = {"answer": _answer(x), "levels": levels, "ways": _WAYS}
    page = PeoplePage(lines, 60, 26)
    return {"frame": _frame("People", "more", x), "page": page, **more}


def _rules(x: str) -> dict[str, Any]:
    lines = tuple(
        RuleLine(n, x, x if n else "", (x,), x, x, x, "t1", "12 calls", x, mine=n > 0)
        for n in range(2)
    )
    page = RulesPage(lines)
    return {"frame": _frame("Rules", "more", x), "page": page, "ways": _WAYS, "answer": None}


def _offer(x: str) -> dict[str, Any]:
    offer = RuleOffer(x, 0, x, x, x, (), stands=False)
    body = [block_view(one) for one in (CodeBlock(f"--- a\n+++ b\n-{x}\n+{x}!", "diff"), Plain(x))]
    return {"frame": _frame("A new rule", "more", x), "offer": offer, "body": body}


def _settings(x: str) -> dict[str, Any]:
    lines = (SwitchLine("footer", x, "off", ("on",)), SwitchLine("queue", x, "queue", ("steer",)))
    chats = (ChatSwitches(1, x, x, lines),)
    rows = (SettingRow("STEWARD_WEB_PORT", x, "environment", x),)
    more = {"chats": chats, "rows": rows, "answer": _answer(x)}
    return {"frame": _frame("Settings", "more", x), **more}


def _money(x: str) -> dict[str, Any]:
    days = tuple(now_page.DayCost(f"{n:02}", "$1.00", n / 30) for n in range(30))
    rows = (now_page.CostRow(x, "$1", "2", "3", "4 %"),)
    page = now_page.MoneyPage("month", "person", x, x, days, rows, (x,), (_FIGURE,), x)
    more = {"spans": ("day", "week", "month"), "subjects": ("model", "person")}
    return {"frame": _frame("Money", "more", x), "page": page, **more}


def _record(x: str) -> dict[str, Any]:
    row = now_page.RecordRow(1, "2026-11-22 18:00:00", x, x, x, x, x, 7, x, x)
    of_turn = replace(row, id=2, subject="t1", chat=None, turn="t1", title=x)
    page = now_page.RecordPage((row, of_turn), Ways(), ((1, x), (2, "Bob")), x, ((x, x),))
    chosen = {"action": x, "person": "2", "since": "2026-11-01", "until": "", "chat": "7"}
    more = {"chosen": chosen, "query": "person=2", "ways": _WAYS}
    return {"frame": _frame("Record", "more", x), "page": page, **more}


def _memory(x: str) -> dict[str, Any]:
    line = memory_page.RecalledLine(
        "t1", x, x, "2026-11-22 18:00", x, x, told=True, verdict=x, score="7.1", why=(x, x)
    )
    note = replace(line, id="note:n", question="", outside="", told=False, why=())
    notes = (memory_page.NoteLine("n1", x, "2026-11-22"), memory_page.NoteLine("n2", x, "2026"))
    page = memory_page.MemoryPage(notes, Ways(), x, x, (line, note))
    frame = _frame("Memory", "more", x)
    return {"frame": frame, "page": page, "ways": _WAYS, "longest": 500}


def _skill_line(x: str, ready: bool) -> skill_page.SkillLine:
    return skill_page.SkillLine(x, x, "shipped", x, ready, "2026-11-22 18:00", 2)


def _skills(x: str) -> dict[str, Any]:
    lines = (_skill_line(x, ready=True), _skill_line("other", ready=False))
    page = skill_page.SkillsPage(lines, Ways(x, x), "", x, (x,))
    return {"frame": _frame("Skills", "more", x), "page": page, "on": {x}}


def _skill(x: str) -> dict[str, Any]:
    variables = (
        skill_page.WantedVariable(x, x, "secret, not set", missing=True),
        skill_page.WantedVariable("NAME", "", "set", missing=False),
    )
    facts = (told.Figure("Folder", x), told.Figure("For", "people alone"))
    page = skill_page.SkillPage(
        _skill_line(x, ready=True), x, facts, variables, (x,), (x,), (x,), (x,)
    )
    chats = (ListedChat("web:5", x, ""), ListedChat("telegram:7", x, "Telegram"))
    frame = _frame(x, "more", x)
    return {"frame": frame, "page": page, "on": chats[:1], "off": chats}


def _servers(x: str) -> dict[str, Any]:
    tools = (
        server_page.LentTool(x, x, "reads"),
        server_page.LentTool(x, x, "asks"),
        server_page.LentTool(x, "", "always asks"),
    )
    line = server_page.ServerLine(
        x,
        x,
        x,
        "",
        waits=False,
        used="4 s ago",
        line=x,
        tools=tools,
        more=2,
        left_out=(x,),
        removable=x,
    )
    failed = replace(line, name="other", fault=x, tools=(), used="", removable="", left_out=())
    waits = replace(failed, name="third", fault="", waits=True)
    page = server_page.ServersPage((line, failed, waits), Ways(x, x))
    return {"frame": _frame("Tool servers", "more", x), "page": page}


def _doctor(x: str) -> dict[str, Any]:
    levels = ("ok", "warn", "fail")
    lines = tuple(doctor_page.DoctorLine(x, level, x, x) for level in levels)
    report = doctor_page.DoctorReport(datetime(2026, 11, 22, 18, tzinfo=UTC), lines, x)
    return {"frame": _frame("Doctor", "more", x), "report": report, "looking": True}


def _search(x: str) -> dict[str, Any]:
    lines = tuple(search_page.SaidLine("t1", chat, x, x, "2026-11-22 18:00", x) for chat in (1, 2))
    at = datetime(2026, 11, 22, 18, tzinfo=UTC)
    titled = (FoundChat(x, "/chat/web:5", x, at), FoundChat(x, "/chat/web:6", "", None))
    page = search_page.SaidPage(lines)
    frame = _frame("Search", "chat", x)
    return {
        "frame": frame,
        "asked": x,
        "titled": titled,
        "page": page,
        "keys": {1: "web:5"},
        "ways": _WAYS,
    }


def _sure(x: str) -> dict[str, Any]:
    question = Question("Erase this?", x, x, "/memory/erase", (("id", x),), "Erase")
    back = Back("/memory", "Memory")
    return {"frame": _frame("Erase this?", "more", x), "question": question, "back": back}


def _answered(x: str) -> dict[str, Any]:
    frame, back = _frame("Memory", "more", x), Back("/memory", "Memory")
    undo = Return("/memory/note", (("note", x), ("text", x)))
    return {"frame": frame, "answer": orders.told(x), "back": back, "undo": undo}


_MAKERS = {
    "memory": ("memory.html", _memory),
    "skills": ("skills.html", _skills),
    "skill": ("skill.html", _skill),
    "servers": ("servers.html", _servers),
    "doctor": ("doctor.html", _doctor),
    "search": ("search.html", _search),
    "sure": ("sure.html", _sure),
    "answered": ("answered.html", _answered),
    "turn": ("turn.html", _turn),
    "cards": ("cards.html", _cards),
    "now": ("now.html", _now),
    "money": ("money.html", _money),
    "record": ("record.html", _record),
    "people": ("people.html", _people),
    "rules": ("rules.html", _rules),
    "offer": ("offer.html", _offer),
    "settings": ("settings.html", _settings),
}


def reading_states(hostile: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Returns each page with usual words, and with hostile ones."""
    states: dict[str, tuple[str, dict[str, Any]]] = {}
    for name, (template, made) in _MAKERS.items():
        states[name] = (template, made("Write notes/a.md"))
        states[f"{name}-hostile"] = (template, made(hostile))
    return states
