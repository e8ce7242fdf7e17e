"""Everything the demo shows: simple things, five sketches of a working day, and some extras."""

import json
import re
from typing import Any

from bot.adapters.demo_model import recordings
from bot.adapters.demo_model.sketch import Act, Sketch, Wanted
from bot.domain.assignments.task import SCHEDULE_TASK
from bot.domain.skills.skill import READ, USE
from bot.domain.tools.house import SUBMIT_PLAN
from bot.shipped import command

_WORD = re.compile(r"[a-z]+")
_FILE_NAME = re.compile(r"\w\.\w")
_SERVERS_TOOL = re.compile(
    r"(?<![A-Za-z0-9_-])([A-Za-z0-9_-]+__[A-Za-z0-9_-]+)\s*(\{.*)?", re.DOTALL
)
"""Nothing is looked for within a word: a long one would take the square of its length."""

QUESTION = "Tea or coffee?"
CHOICES = ("Tea", "Coffee")


def _file(path: str, content: str) -> Wanted:
    return Wanted("write_file", {"path": path, "content": content})


def _run(line: str) -> Wanted:
    return Wanted("run_command", {"command": line})


def _submitted(title: str, summary: str) -> Wanted:
    return Wanted(SUBMIT_PLAN, {"title": title, "summary": summary})


_TIME = Wanted("current_time", {})
_LIST = Wanted("list_files", {})
_NOTE = _file("demo-note.txt", "This note was written by the demo model.\n")
_ECHO = _run("echo hello from the demo")

_SIMPLE = (
    Sketch(
        frozenset({"time", "clock"}),
        "*time*: a tool that needs no approval",
        (Act("I look at the clock.", (_TIME,)), Act("The clock says:\n\n{results}")),
    ),
    Sketch(
        frozenset({"list", "files"}),
        "*list*: the files I can see",
        (Act("I look at the folder.", (_LIST,)), Act("This is in the folder:\n\n{results}")),
    ),
    Sketch(
        frozenset({"note", "file", "write"}),
        "*note*: a file, after you approve it",
        (
            Act("I write a note. Look at the card, then approve it.", (_NOTE,)),
            Act("The note is there: `demo-note.txt`. Say *list* to see it."),
        ),
        planned=(_NOTE, _submitted("A note", "One file, to try a plan.")),
    ),
    Sketch(
        frozenset({"command", "run"}),
        "*command*: a command, after you approve it",
        (Act("I run a command.", (_ECHO,)), Act("The command printed:\n\n{results}")),
        planned=(_ECHO, _submitted("A greeting", "One command, to try a plan.")),
    ),
    Sketch(
        frozenset({"both", "two"}),
        "*two*: two things at once",
        (Act("I do both at once.", (_TIME, _LIST)), Act("Both are done:\n\n{results}")),
    ),
)

_MINUTES = Sketch(
    frozenset({"minutes", "meeting", "notes", "skill", "skills", "pipeline"}),
    "*minutes*: notes of a meeting become minutes, and a second skill checks them",
    (
        Act(
            f"Somebody sends me these notes:\n\n{recordings.NOTES}\n\nI have a skill for that.",
            (Wanted(USE, {"name": "meeting-minutes", "reason": "notes of a meeting"}),),
        ),
        Act(
            "It brings a template.",
            (Wanted(READ, {"skill": "meeting-minutes", "path": "template.md"}),),
        ),
        Act(recordings.DRAFT_MINUTES),
        Act(recordings.MINUTES),
    ),
    skill=True,
)

_CSV = Sketch(
    frozenset({"csv", "tidy", "table", "expenses"}),
    "*csv*: a messy export becomes a table that imports",
    (
        Act(
            "Here is an export that nothing can import: mixed dates, commas in numbers, one row "
            "twice. I put it into the workspace, and take the skill for such files.",
            (
                _file("demo-expenses.csv", recordings.EXPENSES),
                Wanted(USE, {"name": "tidy-csv", "reason": "a messy export"}),
            ),
        ),
        Act(
            "The skill brings a script that tells what is wrong. It changes nothing.",
            (_run('python3 "$SKILL_DIR/scripts/inspect_csv.py" demo-expenses.csv'),),
        ),
        Act(
            "Three rows are clear. One comes twice, and one has no date: I put those two aside. "
            "Your file stays as it is.",
            (
                _file("demo-expenses.clean.csv", recordings.CLEAN_EXPENSES),
                _file("demo-expenses.rejected.csv", recordings.REJECTED_EXPENSES),
            ),
        ),
        Act(
            "Done: 5 rows in, 3 out, 2 put aside.\n\n"
            "| date | what | amount |\n|---|---|---:|\n"
            "| 2025-11-03 | Train to Bern | 48.60 |\n"
            "| 2025-11-04 | Lunch | 23.50 |\n"
            "| 2025-11-04 | Hotel | 129.00 |\n\n"
            "The clean table is `demo-expenses.clean.csv`. `demo-expenses.rejected.csv` has the "
            "second lunch, and the coffee without a date."
        ),
    ),
    skill=True,
)

_PROGRAM = "demo_prices.py"
_TEST = _run(f"python3 {_PROGRAM}")
_TESTS = Sketch(
    frozenset({"test", "tests", "bug"}),
    "*tests*: a bug is found and fixed, and you say no once",
    (
        Act(
            "Here is a small program with two tests. I write it, then I run its tests.",
            (_file(_PROGRAM, recordings.PRICES),),
        ),
        Act("Now the tests.", (_TEST,), fails=True, shows="11.88 != 11.89"),
        Act(
            "One test fails: the program says 11.88, the test expects 11.89. The quickest way "
            "would be to change the test. **Say no to this card:** deny it, or answer it with "
            "what I should do instead.",
            (
                Wanted(
                    "edit_file",
                    {"path": _PROGRAM, "old_text": "19), 11.89)", "new_text": "19), 11.88)"},
                ),
            ),
            approved="You approved it, so the test now expects a wrong price. That is why there "
            "is a card. Say *tests* to try again.",
        ),
        Act(
            "You said no:{reason}\n\nRight. The test is good and the program is wrong: it cuts "
            "off where it should round. I correct that, and run the tests again.",
            (
                Wanted(
                    "edit_file",
                    {"path": _PROGRAM, "old_text": "return int(", "new_text": "return round("},
                ),
                _TEST,
            ),
            shows="OK",
        ),
        Act("Fixed, and both tests pass:\n\n{results}"),
    ),
)

_PLANNED = (
    _file("demo-report.md", recordings.REPORT),
    _run('grep "Signed by" demo-report.md'),
    _file("demo-outbox.txt", "demo-report.md is ready to be sent.\n"),
    _submitted("A report, signed and sent", "Step 2 fails: nobody has signed the report yet."),
)
_PLAN = Sketch(
    frozenset({"plan", "report"}),
    "*plan*: three steps that you approve once; one of them fails. Type `/plan make a plan`",
    (
        Act(
            "Type `/plan make a plan`. I collect three steps and show them on one card. You "
            "approve them once, and step 2 fails: you decide what happens then."
        ),
    ),
    planned=_PLANNED,
)

_ASKED = Sketch(
    frozenset({"question", "ask"}),
    "*question*: I ask you something",
    (
        Act(
            "This only you can know.",
            (
                Wanted(
                    "send_message",
                    {"message": QUESTION, "is_question": True, "choices": list(CHOICES)},
                ),
            ),
        ),
    ),
)

_REMINDED = Sketch(
    frozenset({"remind", "reminder", "task"}),
    "*remind*: a task for later, after you approve it",
    (
        Act(
            "I make a task of that. The card shows its time and its words.",
            (Wanted(SCHEDULE_TASK, {"when": "in 20m", "what": "Tell them: the tea is ready."}),),
        ),
        Act("The task is set:\n\n{results}\n\n`/tasks` shows it, with a button that ends it."),
    ),
)

_DAYS = ("monday", "tuesday", "wednesday")
_EXTRAS = (
    Sketch(
        frozenset({"cards", "card", "several", "three"}),
        "*cards*: three cards at once",
        (
            Act(
                "Three files, three cards. Approve all at once, or each for itself.",
                tuple(_file(f"demo-{day}.md", f"# {day.title()}\n") for day in _DAYS),
            ),
            Act("All three are there:\n\n{results}"),
        ),
    ),
    Sketch(
        frozenset({"always", "rule", "rules"}),
        "*always*: allow one thing for good",
        (
            Act(
                "The first time there is a card: press Always on it. From then on I do this "
                "without asking.",
                (_file("demo-always.txt", "You allowed this once, for good.\n"),),
            ),
            Act(
                "Written: `demo-always.txt`. Say *always* once more: with the rule there is no "
                "card. `/rules` shows what you allowed, and how to take it back."
            ),
        ),
    ),
    Sketch(frozenset({"long"}), "*long*: a long, formatted answer", (Act(recordings.LONG),)),
    Sketch(
        frozenset({"server", "servers", "mcp"}),
        "*server*: a tool of an MCP server",
        (
            Act(
                "Name a tool of a server and its arguments, as in "
                '`time__get_current_time {"timezone": "Asia/Tokyo"}`. /tools lists what there is.'
            ),
        ),
    ),
)

_DAY = (_MINUTES, _CSV, _TESTS, _PLAN, _REMINDED, _ASKED)

ABILITIES = "\n".join(
    (
        *(f"- {sketch.line}" for sketch in _SIMPLE),
        "\nFrom a working day:\n",
        *(f"- {sketch.line}" for sketch in _DAY),
        "\nAnd also:\n",
        *(f"- {sketch.line}" for sketch in _EXTRAS),
    )
)
"""A Markdown list of everything that people can ask for."""

_HELP = Sketch(
    frozenset({"help", "hello", "hi", "hey", "start"}),
    "*help*: this list",
    (
        Act(
            "I am the built-in demo. I understand single words, and my answers are recorded. What "
            "I do is real: the files, the commands and the cards. Say one of these:\n\n"
            f"{ABILITIES}\n\nFor a real model: `{command('setup')}`."
        ),
    ),
)

_IN_ORDER = (_REMINDED, _PLAN, _MINUTES, _CSV, _TESTS, _ASKED, *_EXTRAS, *reversed(_SIMPLE), _HELP)
"""The sketches as they are looked for: the words of the later ones are more common."""


def sketch_of(text: str) -> Sketch | None:
    """Returns the sketch for a server's tool that the text names, or for its first known word."""
    named = _SERVERS_TOOL.search(text)
    if named is not None:
        return _call_of(named[1], named[2] or "{}")
    # What a file is called says less of the wish than the words around it.
    plain = " ".join(one for one in text.split() if _FILE_NAME.search(one) is None)
    for said in (plain, text):
        words = set(_WORD.findall(said.lower()))
        found = next((sketch for sketch in _IN_ORDER if sketch.words & words), None)
        if found is not None:
            return found
    return None


def unknown(text: str) -> str:
    """Returns the answer to words that mean nothing to the demo."""
    return f"You said “{text}”. I am a demo and only know these words:\n\n{ABILITIES}"


def answered(text: str) -> str:
    """Returns the answer to the person's answer to the demo's own question."""
    words = set(_WORD.findall(text.lower()))
    drink = next((word for word in ("tea", "coffee") if word in words), "")
    taken = f"{drink.title()} it is." if drink else f"“{text}” it is."
    return (
        f"{taken} A real model asks like this when only you can know: which of two files, which "
        "date, how formal. The work goes on with your answer."
    )


def _call_of(tool: str, behind: str) -> Sketch:
    try:
        arguments, _ = json.JSONDecoder().raw_decode(behind)
        # A lone surrogate or an infinite number could be read here but never be stored.
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        told = f"What stands behind `{tool}` cannot be read: its arguments are one JSON object."
        return Sketch(frozenset(), "", (Act(told),))
    return Sketch(frozenset(), "", (_calling(tool, arguments),))


def _calling(tool: str, arguments: dict[str, Any]) -> Act:
    return Act(f"I call `{tool}`.", (Wanted(tool, arguments),))
