"""Finds the wish in a person's message: by single words, or by a server's tool that it names."""

import json
import re
from dataclasses import dataclass
from typing import Any

_WORD = re.compile(r"[a-z]+")
_SERVERS_TOOL = re.compile(r"([A-Za-z0-9_-]+__[A-Za-z0-9_-]+)\s*(\{.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that the demo wants to make."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wish:
    """The words that ask for it, its line in the list for people, and the calls of the demo.

    In plan mode the demo makes the calls of `planned` instead.
    """

    words: frozenset[str]
    shows: str
    calls: tuple[Wanted, ...] = ()
    says: str = ""
    planned: tuple[Wanted, ...] = ()


_TIME = Wanted("current_time", {})
_LIST = Wanted("list_files", {})
_WRITE = Wanted(
    "write_file",
    {"path": "demo-note.txt", "content": "This note was written by the demo model.\n"},
)
_RUN = Wanted("run_command", {"command": "echo hello from the demo"})
_ASK = Wanted("send_message", {"message": "Tea or coffee?", "is_question": True})

_PLAN = (
    _WRITE,
    _RUN,
    Wanted("submit_plan", {"title": "A note and a greeting", "summary": "Two steps, for show."}),
)

_SKILL = Wanted("use_skill", {"name": "meeting-minutes", "reason": "for show"})

_LONG = """# A long answer

This answer is long enough to be streamed, formatted and split.

## What it holds

- a list with **bold**, *italic* and `code`
- a [link](https://example.org/)
  - and a second level

1. first
2. second

## A code block

```python
def greet(name: str) -> str:
    return f"Hello, {name}!"
```

## A table

| tool | asks first |
|---|---|
| current_time | no |
| write_file | yes |
| run_command | yes |

> A quote, for the sake of it.

""" + "\n\n".join(
    f"Paragraph {number}. " + "The demo has nothing to say, and says it at length. " * 8
    for number in range(1, 13)
)

_WISHES = (
    Wish(
        frozenset({"plan"}),
        "*plan*: a plan to approve, as in `/plan make a plan`",
        says="Say `/plan make a plan`: then I collect steps and show them before anything runs.",
        planned=_PLAN,
    ),
    Wish(frozenset({"both", "two"}), "*both*: two calls at once", (_TIME, _LIST)),
    Wish(frozenset({"question", "ask"}), "*question*: a question back to you", (_ASK,)),
    Wish(
        frozenset({"server", "servers", "mcp"}),
        "*server*: how to call a tool of an MCP server",
        says=(
            "Name a tool of a server, with its arguments behind it, as in "
            '`time__get_current_time {"timezone": "Asia/Tokyo"}`. /tools lists what there is.'
        ),
    ),
    Wish(
        frozenset({"skill", "skills", "pipeline"}),
        "*skill*: a skill at work, and the next one of its pipeline",
        (_SKILL,),
    ),
    Wish(frozenset({"long"}), "*long*: a long, formatted answer", says=_LONG),
    Wish(frozenset({"list"}), "*list*: the files of the workspace", (_LIST,)),
    Wish(frozenset({"time", "clock"}), "*time*: a tool that needs no approval", (_TIME,)),
    Wish(frozenset({"command", "run"}), "*command*: a command, once you approve it", (_RUN,)),
    Wish(frozenset({"file", "note", "write"}), "*note*: a file, once you approve it", (_WRITE,)),
)

ABILITIES = "\n".join(f"- {wish.shows}" for wish in _WISHES)
"""A Markdown list of everything that people can ask for."""

_HELP = Wish(
    frozenset({"help", "hello", "hi", "hey", "start"}),
    "*help*: this list",
    says=(
        "I am the built-in demo: no network, no understanding, only single words. "
        f"Say one of these and watch what happens:\n\n{ABILITIES}\n\n"
        "Set ANTHROPIC_API_KEY for a real model."
    ),
)


def wish_of(text: str) -> Wish | None:
    """Returns the wish for a server's tool that the text names, or for its first known word."""
    named = _SERVERS_TOOL.search(text)
    if named is not None:
        return _call_of(named[1], named[2] or "{}")
    words = set(_WORD.findall(text.lower()))
    return next((wish for wish in (*_WISHES, _HELP) if wish.words & words), None)


def _call_of(tool: str, behind: str) -> Wish:
    try:
        arguments, _ = json.JSONDecoder().raw_decode(behind)
        # A lone surrogate or an infinite number could be read here but never be stored.
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        told = f"What stands behind `{tool}` cannot be read: its arguments are one JSON object."
        return Wish(frozenset(), "", says=told)
    return Wish(frozenset(), "", (Wanted(tool, arguments),))
