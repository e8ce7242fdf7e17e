import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.telegram.cutting import cut
from bot.adapters.telegram.markdown import formatted
from bot.adapters.telegram.pieces import NOTHING, split_content
from bot.adapters.telegram.rich_text import RichText, Span
from bot.domain.talk.message import (
    Block,
    Button,
    CodeBlock,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
)
from tests.standins.bot_api.entity import check_borders, parse_entities


def split(*blocks: Block, kind: OutboundKind = OutboundKind.ANSWER, **more: Any) -> list[Any]:
    return [piece.body for piece in split_content(Outbound(kind, blocks, **more))]


def covered(body: Any, kind: str) -> list[str]:
    """The words under each entity of a kind, read as the platform reads offsets."""
    units = body["text"].encode("utf-16-le")
    return [
        units[e["offset"] * 2 : (e["offset"] + e["length"]) * 2].decode("utf-16-le")
        for e in body.get("entities", ())
        if e["type"] == kind
    ]


def test_markdown_becomes_entities_with_utf16_offsets() -> None:
    [body] = split(Markdown("😀 **bold 😀** and `code`"))
    assert body["text"] == "😀 bold 😀 and code"
    assert covered(body, "bold") == ["bold 😀"]
    assert covered(body, "code") == ["code"]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("a <b>bold</b> <br> word", "a <b>bold</b> <br> word"),
        ("<div>\n<p>text</p>\n</div>", "<div>\n<p>text</p>\n</div>"),
        ("<!-- a remark -->", "<!-- a remark -->"),
        ("a || b || c", "a || b || c"),
        ("put $HOME/bin:$PATH there", "put $HOME/bin:$PATH there"),
    ],
)
def test_nothing_a_converter_would_swallow_is_lost(source: str, shown: str) -> None:
    assert formatted(source).text == shown


def test_code_is_never_altered() -> None:
    code = "if a || b || c: # <b> $HOME/x:$PATH \\(\\alpha\\) \\[\\frac{1}{2}\\]"
    rich = formatted(f"Use <b>:\n\n```sh\n{code}\n```\n\nor `{code}`")
    inside = [rich.text[s.start : s.end] for s in rich.spans if s.kind in ("pre", "code")]
    assert inside == [code, code]


@pytest.mark.parametrize("source", ["<div>\n" * 200, "1. " * 10_000, "> - " * 20 + "x"])
def test_nesting_beyond_all_measure_is_shown_as_written(source: str) -> None:
    assert formatted(source).text == source


@pytest.mark.parametrize("target", ["./a.md", "a.md", "http://localhost:80", "mailto:a@b.c", "x y"])
def test_a_link_the_platform_refuses_becomes_text_with_its_target(target: str) -> None:
    rich = formatted(f"see [**the** docs](<{target}>) and [this](https://example.com/a)", None)
    assert rich.text == f"see the docs ({target}) and this"
    assert [s.url for s in rich.spans if s.kind == "text_link"] == ["https://example.com/a"]


def test_the_targets_of_a_refused_image_in_a_refused_link_are_both_shown() -> None:
    rich = formatted("**[![a](x.png)](y.md) b** and *c*")
    assert rich.text == "🖼a (y.md) (x.png) b and c"
    assert [(s.kind, rich.text[s.start : s.end]) for s in rich.spans] == [
        ("bold", "🖼a (y.md) (x.png) b"),
        ("italic", "c"),
    ]


def test_plain_and_code_stay_exact() -> None:
    [body] = split(Plain("**not bold** <b>"), CodeBlock("  x = **1**\n", "python"))
    assert body["text"] == "**not bold** <b>\n  x = **1**\n"
    assert covered(body, "pre") == ["  x = **1**\n"]
    assert body["entities"][0]["language"] == "python"


def test_a_card_hides_no_character_in_any_block() -> None:
    hidden = "rm\u202e\x1b[2K\r\u200b\u00a0\u3164x"
    [body] = split(Plain(hidden), CodeBlock(hidden), kind=OutboundKind.CARD)
    seen = "rm\\u202e␛[2K␍\\u200b\\u00a0\\u3164x"
    assert body["text"] == f"{seen}\n{seen}"


def test_a_card_is_a_list_of_lines_and_an_answer_of_paragraphs() -> None:
    blocks = (Plain("a"), Plain(""), Plain("b"))
    assert split(*blocks, kind=OutboundKind.CARD)[0]["text"] == "a\nb"
    assert split(*blocks)[0]["text"] == "a\n\nb"


def test_on_a_card_the_title_stands_out_long_content_folds_and_asides_stand_back() -> None:
    content = "\n".join(f"line {n}" for n in range(40))
    title, aside = Plain("Create a.md", style="title"), Plain("open for 24 h", style="aside")
    [body] = split(title, CodeBlock(content, folds=True), aside, kind=OutboundKind.CARD)
    found = [covered(body, kind) for kind in ("bold", "expandable_blockquote", "italic")]
    assert found == [["Create a.md"], [content], ["open for 24 h"]]


def test_text_that_cannot_be_sent_is_replaced() -> None:
    [body] = split(Plain("a\ud800\x00b"))
    assert body["text"] == "a\ufffd\ufffdb"


@pytest.mark.parametrize("empty", ["", " \n ", "\u200b", "[](x)", "[a]: b"])
def test_content_without_ink_gives_a_placeholder(empty: str) -> None:
    assert [body["text"] for body in split(Markdown(empty))] == [NOTHING]


def test_long_text_is_cut_between_paragraphs() -> None:
    paragraph = "word " * 300
    bodies = split(Plain("\n\n".join([paragraph.strip()] * 5)))
    assert len(bodies) == 3
    assert all(body["text"].startswith("word") for body in bodies)
    assert all(len(body["text"]) % (len(paragraph) + 1) == len(paragraph) - 1 for body in bodies)


def test_code_that_fits_a_message_of_its_own_is_not_cut() -> None:
    code = "\n".join(f"line {n}" for n in range(300))
    first, second = split(Markdown(f"{'intro ' * 400}\n\n```py\n{code}\n```"))
    assert "pre" not in {e["type"] for e in first.get("entities", ())}
    assert covered(second, "pre") == [code]


def test_code_longer_than_a_message_is_closed_and_reopened_at_a_line() -> None:
    code = "\n".join(f"    line {n}" for n in range(1000))
    bodies = split(Markdown(f"```py\n{code}\n```"))
    assert len(bodies) > 2
    assert "\n".join(body["text"] for body in bodies) == code
    assert all(body["entities"][0]["language"] == "py" for body in bodies)
    assert all(covered(body, "pre") == [body["text"]] for body in bodies)


def test_a_word_longer_than_a_message_is_cut_hard() -> None:
    bodies = split(Plain("😀" * 10_000))
    assert "".join(body["text"] for body in bodies) == "😀" * 10_000
    assert [len(body["text"]) for body in bodies] == [4096, 4096, 1808]


def test_a_piece_holds_at_most_a_hundred_entities_and_all_are_kept() -> None:
    bodies = split(Markdown(" ".join(f"**b{n}**" for n in range(250))))
    assert max(len(body["entities"]) for body in bodies) <= 100
    assert [word for body in bodies for word in covered(body, "bold")] == [
        f"b{n}" for n in range(250)
    ]


def test_buttons_stand_under_the_last_text_and_files_follow() -> None:
    ok = Button("OK", "ok:1")
    bodies = split(
        Plain("x " * 3000), buttons=((ok,),), files=(FileRef("/f", "f.txt", "cap"),), reply_to="9"
    )
    assert ["buttons" in body for body in bodies] == [False, True, False]
    assert bodies[0]["reply_to"] == "9"
    assert bodies[2] == {"file": {"path": "/f", "name": "f.txt"}, "caption": "cap", "silent": True}


def test_a_caption_too_long_for_a_file_is_sent_as_text() -> None:
    text, file = split(files=(FileRef("/f", "f.txt", "c" * 1025),))
    assert text["text"] == "c" * 1025
    assert "caption" not in file


MARKS = st.sampled_from(
    [
        *list("ab😀é \n"),
        "\n\n",
        "    ",
        "**",
        "`",
        "\n```\n",
        "[a](b)",
        "<b>",
        "$",
        "||",
        "\\(\\frac{1}{2}\\)",
        "\n|a|b|\n|-|-|\n",
        "> ",
        "- ",
        "~",
    ]
)
TEXTS = st.lists(MARKS | st.text(max_size=5), max_size=60).map("".join)


@given(TEXTS, st.integers(1, 40))
def test_cutting_leaves_out_only_blanks_between_parts(text: str, longest: int) -> None:
    rich = RichText(text, (Span("bold", 0, len(text) // 2), Span("pre", len(text) // 2, len(text))))
    at = 0
    for part in cut(rich, longest):
        found = text.index(part.text, at)
        assert not any(c.isprintable() and not c.isspace() for c in text[at:found])
        assert 0 < len(part.text) <= longest
        at = found + len(part.text)
    assert not any(c.isprintable() and not c.isspace() for c in text[at:])


HEADINGS = (
    "# Part {}",
    "### Part {}",
    "**Part {}**",
    "Part {}\n======",
    "###### Part {}",
)
PARAGRAPHS = st.integers(1, 400).map(lambda n: "word " * n) | st.just("```\ncode\n```")


@given(st.lists(st.tuples(st.lists(st.sampled_from(HEADINGS), max_size=2), PARAGRAPHS), max_size=9))
def test_no_piece_ends_with_a_heading_and_nothing_is_lost_or_doubled(
    parts: list[tuple[list[str], str]],
) -> None:
    lines = [line for headings, text in parts for line in (*headings, text)]
    numbered = [line.format(number) for number, line in enumerate(lines)]
    rich = formatted("\n\n".join(numbered))
    pieces = cut(rich, 500)
    for piece in pieces:
        assert not piece.text.rstrip().rpartition("\n")[2].startswith("Part ")
    assert "".join("".join(p.text for p in pieces).split()) == "".join(rich.text.split())
    assert all(len(piece.text) <= 500 for piece in pieces)


def test_a_heading_longer_than_a_message_is_cut_all_the_same() -> None:
    pieces = cut(formatted(f"# {'long ' * 300}\n\nThe text."), 200)
    assert sum(piece.text.count("long") for piece in pieces) == 300
    assert pieces[-1].text.endswith("The text.")


def test_only_the_first_message_of_a_long_answer_makes_a_sound() -> None:
    bodies = split(Plain("x " * 9000))
    assert [body.get("silent", False) for body in bodies] == [False, *[True] * (len(bodies) - 1)]
    assert len(bodies) > 3
    assert all(body["silent"] for body in split(Plain("x " * 9000), silent=True))


@given(TEXTS.map(lambda text: text * 20))
def test_every_piece_of_any_markdown_is_one_the_platform_takes(source: str) -> None:
    for body in split(Markdown(source)):
        assert 0 < len(body["text"]) <= 4096
        entities = parse_entities(body.get("entities", []))
        check_borders(body["text"], entities)
        assert len(entities) <= 100


@given(st.text(st.sampled_from("ab😀 \n"), min_size=1))
def test_spans_survive_cutting(text: str) -> None:
    words = [(i, j) for i, j in pairwise(range(0, len(text) + 1, 3)) if text[i:j].strip()]
    rich = RichText(text, tuple(Span("bold", i, j) for i, j in words))
    bold = "".join(p.text[s.start : s.end] for p in cut(rich, 7) for s in p.spans)
    assert "".join(bold.split()) == "".join("".join(text[i:j] for i, j in words).split())


def test_stored_pieces_are_plain_json(tmp_path: Path) -> None:
    for body in split(Markdown("**a** [b](https://c.d)"), files=(FileRef(str(tmp_path), "x"),)):
        assert json.loads(json.dumps(body)) == body


@pytest.mark.parametrize("sign", ["$", "\\(", "\\[", "a $b$ "])
def test_a_flood_of_signs_of_mathematics_is_shown_as_it_is_written_without_delay(sign: str) -> None:
    source = (sign * 60_000)[:60_000].strip()
    begun = time.process_time()
    assert formatted(source).text == source
    assert time.process_time() - begun < 1.0


def test_a_text_of_more_than_a_thousand_fences_is_shown_as_it_is_written() -> None:
    fenced = "```\n**a**\n```\n"
    assert formatted(fenced * 501) == RichText(fenced * 501)
    assert "```" not in formatted(fenced * 500).text


def test_bars_among_much_code_take_no_time_that_grows_with_their_square() -> None:
    begun = time.process_time()
    formatted("`||" * 10_000)
    # Looking for each pair of bars in each piece of code took ten times as long.
    assert time.process_time() - begun < 3.0


def test_a_text_too_long_to_be_formatted_in_time_is_shown_as_it_is_written() -> None:
    source = "**bold** " * 12_000
    assert formatted(source) == RichText(source)


def test_words_said_before_an_answer_fold_into_one_quote_above_it() -> None:
    words = [Markdown(text, said=True) for text in ("I **look** first.", "Once more.")]
    [body] = split(*words, Markdown("There it is."), Plain("2 tool calls · 4 s", style="aside"))
    assert body["text"] == "I look first.\n\nOnce more.\n\nThere it is.\n\n2 tool calls · 4 s"
    assert covered(body, "expandable_blockquote") == ["I look first.\n\nOnce more."]
    assert covered(body, "bold") == ["look"]
    assert covered(body, "italic") == ["2 tool calls · 4 s"]
    check_borders(body["text"], parse_entities(body["entities"]))


def test_words_above_a_card_and_words_with_code_stand_open() -> None:
    [alone] = split(Markdown("I write it.", said=True), kind=OutboundKind.NOTICE)
    assert alone == {"text": "I write it."}
    [body] = split(Markdown("This:\n\n```\nx = 1\n```", said=True), Markdown("Done."))
    assert covered(body, "expandable_blockquote") == []
    assert covered(body, "pre") == ["x = 1"]


def test_the_small_line_of_a_long_answer_stands_in_its_last_message() -> None:
    bodies = split(Markdown("A sentence. " * 900), Plain("4 s", style="aside"))
    assert len(bodies) > 1
    assert [body["text"].endswith("\n\n4 s") for body in bodies] == [False] * (len(bodies) - 1) + [
        True
    ]


@pytest.mark.parametrize("line", ["-" * 70, "*" * 30, "+" * 25])
def test_a_line_of_signs_leaves_the_rest_formatted(line: str) -> None:
    rich = formatted(f"**Passed**\n\n```\n..\n{line}\nRan 2 tests\n```")
    assert rich.text.startswith("Passed\n\n..")
    assert {span.kind for span in rich.spans} == {"bold", "pre"}
