"""Texts on their way to Discord: what is shown, and where it is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord.cutting import LONGEST, cut, units
from bot.adapters.discord.formatting import in_fence, markdown, plain, written
from bot.adapters.discord.pieces import shortened, split_content
from bot.domain.talk.message import Button, CodeBlock, Markdown, Outbound, OutboundKind, Plain

LINES = st.lists(
    st.sampled_from(
        [
            "",
            "word " * 30,
            "x" * 700,
            "```",
            "print(1)",
            "# Heading",
            "😀" * 300,
            "a b",
        ]
    ),
    max_size=60,
).map("\n".join)


def words(parts: list[str]) -> str:
    """All that is no fence and no blank."""
    return "".join("".join(parts).replace("`", "").split())


@given(source=LINES)
def test_parts_fit_keep_every_word_and_close_every_fence(source: str) -> None:
    parts = cut(markdown(source))
    assert words(parts) == words([source])
    for part in parts:
        assert units(part) <= LONGEST
        assert sum(line.startswith("```") for line in part.split("\n")) % 2 == 0


@given(source=LINES)
def test_the_end_of_a_growing_answer_fits_one_message_and_its_fences_are_whole(source: str) -> None:
    end = shortened(markdown(source))
    assert units(end) <= LONGEST
    assert sum(line.startswith("```") for line in end.split("\n")) % 2 == 0


@pytest.mark.parametrize("line", ["x = 1\n" * 900, "x" * 5_000], ids=["many lines", "one line"])
def test_a_growing_answer_that_begins_within_code_opens_its_fence(line: str) -> None:
    end = shortened(markdown(f"See:\n\n```python\n{line}"))
    assert end.startswith("…\n```python\nx")
    assert end.endswith("x\n```") or end.endswith("x = 1\n\n```")
    assert units(end) > LONGEST // 3


def test_a_cut_fence_is_opened_again_in_its_language() -> None:
    code = "\n".join(f"line {n}" for n in range(600))
    first, second, *_ = cut(in_fence(code, "python"))
    assert first.startswith("```python\n")
    assert first.endswith("\n```")
    assert second.startswith("```python\nline ")


def test_a_part_ends_at_a_paragraph_where_there_is_one() -> None:
    paragraphs = ["a" * 900, "b" * 900, "c" * 900]
    parts = cut("\n\n".join(paragraphs))
    assert parts == [f"{paragraphs[0]}\n\n{paragraphs[1]}", paragraphs[2]]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("#### Deep", "**Deep**"),
        ("### Fine", "### Fine"),
        ("- [ ] open\n- [x] done", "- ☐ open\n- ☑ done"),
        ("a || b || c", r"a \|\| b \|\| c"),
        ("so __bold__, `__code__`, foo__bar__baz", "so **bold**, `__code__`, foo__bar__baz"),
        ("above\n\n---\n* * *\nbelow", f"above\n\n{'─' * 10}\n{'─' * 10}\nbelow"),
        ("Title\n===\nPart\n---\n- item\n---", f"# Title\n## Part\n- item\n{'─' * 10}"),
        (">a\n>> b\n>>> c", "> a\n> b\n> c"),
        ("+ plus\n  + more", "- plus\n  - more"),
        ("one\\\ntwo<br>three", "one\ntwo\nthree"),
        ("[notes](a/notes.md), [x](https://x.org)", "notes (`a/notes.md`), [x](https://x.org)"),
        ("`a || b`", "`a || b`"),
        ("![a cat](https://x.org/cat.png)", "[a cat](https://x.org/cat.png)"),
        ("~~~sh\nls ```\n~~~", "```sh\nls `\u200b``\n```"),
        ("```\nnever closed", "```\nnever closed\n```"),
        (
            "Two:\n\n| a | bb |\n|---|:--|\n| `x\\|y` | 2 |\n\nafter",
            "Two:\n\n```\na    bb\n───  ──\nx|y  2\n```\n\nafter",
        ),
        (
            "| Name | What it is for |\n|---|---|\n"
            "| grep | finds a\\|b in **every** file there is |",
            "**Name:** grep  \n**What it is for:** finds a\\|b in **every** file there is\n",
        ),
    ],
)
def test_markdown_that_discord_does_not_know_has_another_form(source: str, shown: str) -> None:
    assert markdown(source, None) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("*not* bold", r"\*not\* bold"),
        ("# no heading", r"\# no heading"),
        ("> no quote", r"\> no quote"),
        ("<@42> is nobody", r"\<@42> is nobody"),
        ("see https://x.org/a_b_c now", "see https://x.org/a_b_c now"),
        ("[x](y)", r"[x\](y)"),
        ("a\n-# b", "a\n\\-# b"),
        # A backslash before a digit or a letter would be shown.
        ("1. first\n  12) last", "1\\. first\n  12\\) last"),
        ("3.5 m, and 1 . more", "3.5 m, and 1 . more"),
    ],
)
def test_plain_text_is_shown_as_it_is(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_code_cannot_leave_its_fence() -> None:
    shown = written(CodeBlock("a\n```\n**b**"), whole=True)
    assert shown.count("```") == 2


def test_a_card_shows_what_would_be_invisible() -> None:
    card = Outbound(OutboundKind.CARD, (Plain("rm\u202e file"), CodeBlock("x\u200by")))
    [piece] = split_content(card)
    assert r"\u202e" in piece.body["text"]
    assert r"\u200b" in piece.body["text"]


def test_lines_of_weight_and_words_on_the_way_stand_back() -> None:
    blocks = (
        Markdown("I look.", said=True),
        Plain("Title `a_b`", style="title"),
        Plain("small *print*", style="aside"),
    )
    [piece] = split_content(Outbound(OutboundKind.NOTICE, blocks))
    assert piece.body["text"] == "> I look.\n\n**Title **`a_b`\n\n-# small \\*print\\*"


def test_buttons_stand_below_the_last_part_of_the_text() -> None:
    blocks = (Plain("word " * 700),)
    content = Outbound(OutboundKind.CARD, blocks, ((Button("Yes", "a:1"),),))
    *first, last = split_content(content)
    assert first
    assert not any("buttons" in piece.body for piece in first)
    assert last.body["buttons"] == [[{"label": "Yes", "data": "a:1"}]]
