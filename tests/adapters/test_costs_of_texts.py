"""The work of formatting and cutting a text grows with its length, and not with its square.

The lines of our own code that run are counted, so that a busy machine changes nothing. What runs
inside of one expression, such as a search for a pattern, or in a library, shows in processor time
alone.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import bot
from bot.adapters.discord.formatting import markdown
from bot.adapters.discord.pieces import shortened
from bot.adapters.discord.pieces import split_content as split_for_discord
from bot.adapters.telegram.pieces import split_content as split_for_telegram
from bot.adapters.telegram.rich.document import rich_draft
from bot.adapters.terminal.layout import Layout
from bot.adapters.terminal.rendering import Rendering
from bot.domain.talk.message import Block, CodeBlock, Markdown, Outbound, OutboundKind, Plain


def repeated(part: str) -> Callable[[int], str]:
    return lambda length: (part * (length // len(part) + 1))[:length]


def ticks(length: int) -> str:
    """Returns backticks in runs of which no two have the same length."""
    runs, size = list[str](), 0
    while size < length:
        runs.append("`" * (len(runs) + 1) + " ")
        size += len(runs[-1])
    return "".join(runs)[:length]


FORMS: dict[str, Callable[[int], str]] = {
    "short lines": repeated("a\n"),
    "short lines of letters of two units": repeated("😀\n"),
    "a fence of blank lines": lambda length: "```\n" + "\n" * (length - 8) + "\n```",
    "a fence of short lines": lambda length: "```\n" + "a\n" * (length // 2) + "```",
    "blank lines": lambda length: "a" + "\n" * (length - 2) + "a",
    "one word": repeated("a"),
    "words": repeated("word "),
    "letters of two units": repeated("😀"),
    "fences": repeated("```a\nb\n```\n"),
    "empty fences": repeated("```\n"),
    "headings": repeated("# a\n\n"),
    "lines in bold": repeated("**a**\n\n"),
    "headings by a line below": repeated("a\n-\n"),
    "words in bold": repeated("**a** "),
    "a long table": lambda length: "| a | b |\n|---|---|\n" + "| c | d |\n" * (length // 10),
    "items": repeated("1. a\n"),
    "quotes": repeated("> a\n"),
    "links": repeated("[a](https://e.example/) "),
    "pieces of code": repeated("`a` "),
    "pictures without an end": repeated("!["),
    "underscores without an end": repeated(" __a"),
    "a heading with signs and a letter": lambda length: f"#### a{'#' * (length - 7)}a",
    "a heading with blanks and a letter": lambda length: f"#### a{' ' * (length - 7)}a",
    "backticks that fit no others": ticks,
    "signs of lists on one line": lambda length: f"{'- ' * (length // 2)}a",
    "brackets": repeated("["),
    "stars": repeated("*a "),
}
LAYOUT = Layout(Rendering())
_OURS = str(Path(bot.__file__).parent)


def content(block: Block) -> Outbound:
    return Outbound(OutboundKind.NOTICE, (block,))


def drafted(text: str) -> str:
    return shortened(markdown(text))


WAYS: dict[str, Callable[[str], Any]] = {
    "Discord": lambda text: split_for_discord(content(Markdown(text))),
    "Discord, plain": lambda text: split_for_discord(content(Plain(text))),
    "Discord, code": lambda text: split_for_discord(content(CodeBlock(text))),
    "Discord, draft": drafted,
    "Telegram": lambda text: split_for_telegram(content(Markdown(text))),
    "Telegram, rich": lambda text: split_for_telegram(content(Markdown(text)), rich=True),
    "Telegram, plain": lambda text: split_for_telegram(content(Plain(text))),
    "Telegram, draft": lambda text: rich_draft(text, wanted=True),
    "terminal": lambda text: LAYOUT.short(content(Markdown(text)), 80),
    "terminal, code": lambda text: LAYOUT.short(content(CodeBlock(text)), 80),
}


def lines_run(work: Callable[[str], object], text: str) -> int:
    """Returns how many lines of our own code the work runs."""
    count = 0

    # It is called for each line, so it looks at nothing but the kind of event.
    def line(frame: FrameType, event: str, told: object) -> Any:
        nonlocal count
        if event == "line":
            count += 1
        return line

    def call(frame: FrameType, event: str, told: object) -> Any:
        return line if frame.f_code.co_filename.startswith(_OURS) else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        work(text)
    finally:
        sys.settrace(before)
    return count


def seconds(work: Callable[[str], object], text: str) -> float:
    begun = time.thread_time()
    work(text)
    return time.thread_time() - begun


@pytest.mark.parametrize("way", [way for way in WAYS if not way.startswith("terminal")])
def test_each_character_costs_few_lines_however_many_there_are(way: str) -> None:
    lines = {name: lines_run(WAYS[way], form(8_000)) for name, form in FORMS.items()}
    assert max(lines.values()) > 100
    assert {name: count for name, count in lines.items() if count > 100 * 8_000} == {}


@pytest.mark.alone
@pytest.mark.parametrize("way", WAYS)
def test_a_text_of_four_times_the_length_takes_no_sixteen_times_the_time(way: str) -> None:
    work = WAYS[way]
    work("a")
    # A library lays texts out for the terminal, and takes longer for each letter.
    few = 1_000 if way.startswith("terminal") else 2_500
    costly = {}
    for name, form in FORMS.items():
        short, long = (seconds(work, form(length)) for length in (few, 4 * few))
        # A tenth of a second is left to chance.
        if long > 9 * short + 0.1:
            costly[name] = (short, long)
    assert not costly
