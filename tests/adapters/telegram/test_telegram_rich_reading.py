"""Markdown becomes a rich message that the platform takes, and no word of it is lost."""

import re
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.telegram.cutting import LONGEST
from bot.adapters.telegram.pieces import split_content
from bot.adapters.telegram.rich.document import SAID, rich_draft
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
from tests.standins.bot_api.rich_shown import RichContent, parse_rich


def bodies(*blocks: Block, kind: OutboundKind = OutboundKind.ANSWER, **more: Any) -> list[Any]:
    made = split_content(Outbound(kind, blocks, **more), rich=True, keep=more.get("keep", False))
    return [piece.body for piece in made]


def forced(source: str) -> list[Any]:
    content = Outbound(OutboundKind.ANSWER, (Markdown(source, links=None),))
    return [piece.body for piece in split_content(content, rich=True, keep=True)]


def shown(body: Any) -> RichContent:
    return parse_rich({"html": body["rich"]})


def only(*blocks: Block, **more: Any) -> RichContent:
    [body] = bodies(*blocks, **more)
    return shown(body)


TABLE = "| Name | Price |\n|:--|--:|\n| Tea | 2 |\n| `a\\|b` | **3** |"


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("# Title", "<h1>Title</h1>"),
        ("Text\n\n### *Part* 2", "<p>Text</p><h3><i>Part</i> 2</h3>"),
        (
            "- [ ] milk\n- [x] bread",
            '<ul><li><input type="checkbox">milk</li>'
            '<li><input type="checkbox" checked>bread</li></ul>',
        ),
        (
            "- [x] a\n  - b",
            '<ul><li><input type="checkbox" checked><p>a</p><ul><li>b</li></ul></li></ul>',
        ),
        (
            "# A\n3. x\n4. y",
            '<h1>A</h1><ol start="3"><li>x</li><li>y</li></ol>',
        ),
        ("It is $x^2 + 1$.", "<p>It is <tg-math>x^2 + 1</tg-math>.</p>"),
        (r"It is \(a < b\).", "<p>It is <tg-math>a &lt; b</tg-math>.</p>"),
        (
            "So:\n\\[\nE = mc^2\n\\]\nIndeed.",
            "<p>So:</p><tg-math-block>E = mc^2</tg-math-block><p>Indeed.</p>",
        ),
        ("$$\nx_1\n$$", "<tg-math-block>x_1</tg-math-block>"),
        ("```math\nx_1\n```", "<tg-math-block>x_1</tg-math-block>"),
        ("# A\n> q\n> r", "<h1>A</h1><blockquote><p>q<br>r</p></blockquote>"),
        (
            "# A\n```py\nx < \\(y\\)\n```",
            '<h1>A</h1><pre><code class="language-py">x &lt; \\(y\\)</code></pre>',
        ),
        (
            "# A\n[t](https://a.b/?x=1&y=2) [u](./file) ![p](https://c.d/e.png)",
            '<h1>A</h1><p><a href="https://a.b/?x=1&amp;y=2">t</a> u (./file) '
            '<a href="https://c.d/e.png">p</a></p>',
        ),
        (
            "# A\n<b>no</b> ||x|| **b** ~~s~~",
            "<h1>A</h1><p>&lt;b&gt;no&lt;/b&gt; ||x|| <b>b</b> <s>s</s></p>",
        ),
        ("# A\n\n---", "<h1>A</h1><hr>"),
    ],
)
def test_what_entities_cannot_show_becomes_a_block(source: str, html: str) -> None:
    [body] = bodies(Markdown(source, links=None))
    assert body["rich"] == html
    assert shown(body).text


def test_a_table_keeps_its_columns_and_their_sides() -> None:
    [body] = bodies(Markdown(TABLE))
    assert shown(body).text == "Name | Price\nTea | 2\na|b | 3"
    assert body["rich"].startswith(
        '<table bordered striped><tr><th align="left">Name</th><th align="right">Price</th></tr>'
    )
    assert [other["text"].split("\n")[2] for other in body["instead"]] == ["Tea       2"]


@pytest.mark.parametrize(
    "source",
    [
        "Plain words, **bold**, `code` and [a link](https://a.b).",
        "- a\n- b\n\n> quote\n\n```py\nx = 1\n```",
        "It costs $5, or 10$ for two; $HOME:$PATH stays.",
        "a | b",
    ],
)
def test_what_entities_show_as_well_stays_in_the_older_form(source: str) -> None:
    [body] = bodies(Markdown(source))
    assert "rich" not in body


@pytest.mark.parametrize(
    "source",
    [
        "# A\n" + "|a" * 21 + "|\n" + "|-" * 21 + "|\n" + "|1" * 21 + "|",
        "| a | b |\n|--|--|\n| 1 | 2 | lost |",
        "# A\n" + "> " * 30 + "deep",
        "\n".join(f"- [ ] {n}" for n in range(501)),
        "# A\n\n" + "x" * 32_769,
    ],
    ids=["columns", "surplus", "deep", "blocks", "length"],
)
def test_what_would_break_a_limit_or_lose_words_stays_in_the_older_form(source: str) -> None:
    assert all("rich" not in body for body in bodies(Markdown(source)))


@pytest.mark.parametrize(
    "source",
    [
        "# A\n[my bank \\(] \\) ](https://evil.example)",
        "# A\n[my bank \\(](y\\)](https://evil.example)",
        '# A\n[my bank \\( <b x="\\) ](https://evil.example) ">',
        "# A\n<https://evil.example> [my bank \\(] \\) ](https://evil.example)",
    ],
)
def test_a_formula_makes_no_link_out_of_words_that_were_none(source: str) -> None:
    for body in bodies(Markdown(source)):
        assert '<a href="https://evil.example">my' not in body.get("rich", "")


def test_a_long_answer_is_one_message_and_a_longer_one_is_cut_between_blocks() -> None:
    long = "\n\n".join(f"Paragraph {n} " + "words " * 50 for n in range(40))
    [body] = bodies(Markdown(long))
    assert len(shown(body).text) > LONGEST
    assert len(body["instead"]) > 2
    longer = "\n\n".join(f"## Part {n}\n\n" + "words " * 1000 for n in range(12))
    parts = bodies(Markdown(longer))
    told = [shown(body) for body in parts]
    assert len(told) == 3
    assert "".join(" ".join(one.text for one in told).split()) == "".join(
        longer.replace("## ", "").split()
    )
    assert all(one.kinds[0] == "h2" and one.kinds[-1] == "p" for one in told)
    instead = ["".join(other["text"] for other in body["instead"]) for body in parts]
    assert "".join("".join(instead).split()) == "".join(" ".join(one.text for one in told).split())


def test_words_on_the_way_fold_above_the_answer_and_small_lines_stand_below() -> None:
    told = only(
        Markdown("Let me look.", said=True),
        Markdown("# Found\nall"),
        CodeBlock("x\u200b", "py"),
        Plain("a `b` c", style="aside"),
    )
    assert told.kinds[:3] == ("details", "summary", "p")
    assert told.text.startswith(f"{SAID}\nLet me look.\nFound\nall\nx\\u200b")
    assert told.html.endswith("<p><i>a </i><code>b</code><i> c</i></p>")


def test_what_stands_around_a_message_is_on_it_and_on_those_that_may_replace_it() -> None:
    long = "# A\n\n" + "\n\n".join("words " * 100 for _ in range(12))
    [body] = bodies(
        Markdown(long), buttons=((Button("Yes", "y"),),), reply_to="7", asks="Why", silent=False
    )
    first, *_, last = body["instead"]
    assert (body["reply_to"], first["reply_to"]) == ("7", "7")
    assert "buttons" in body
    assert "buttons" in last
    assert "buttons" not in first
    assert last["asks"] == body["asks"] == "Why"
    assert "silent" not in body
    assert [other.get("silent", False) for other in body["instead"]] == [False, True]
    text, file = bodies(Markdown("# A"), files=(FileRef("/x", "x"),))
    assert "silent" not in text
    assert file["silent"]


@pytest.mark.parametrize("kind", [OutboundKind.CARD, OutboundKind.MENU])
def test_cards_and_menus_keep_the_older_form(kind: OutboundKind) -> None:
    assert "rich" not in bodies(Markdown(TABLE), kind=kind)[0]


def test_a_message_that_may_show_a_preview_keeps_the_form_that_has_one() -> None:
    assert "rich" not in bodies(Markdown(TABLE), previews=True)[0]


WORD = st.text("abcxyzäß😀0189<>&\"'*_`~|$\\[]()#-+.!=", min_size=1, max_size=12)
PIECES = st.sampled_from(
    [
        *("# ", "- [ ] ", "- [x] ", "1. ", "> ", "| a | b |\n|---|---|\n| ", "$x^2$ ", "\\(y\\) "),
        *("\\[", "\\]", "$$", "```\n", "~~", "**", "`", "\n", "\n\n", "  \n", "    ", "\t"),
        *("[l](https://a.b) ", "<div>"),
    ]
)
SOURCES = st.lists(st.one_of(PIECES, WORD), max_size=40).map("".join)


@given(SOURCES)
@example("\\[ \\]")
@example("- \n- ")
@example("#")
@example("|a|\n|-|\n||")
@example("> \n> ")
@example("- [ ]\n- [x] ")
@example("\ue0000\ue001 \\(x\\)")
@example("# \ue0005\ue001")
def test_any_markdown_becomes_what_the_platform_takes(source: str) -> None:
    for body in forced(source):
        if "rich" in body:
            shown(body)
            assert body["instead"]
            assert all(0 < len(other["text"]) <= LONGEST for other in body["instead"])
    draft = rich_draft(source, wanted=True)
    if draft is not None:
        parse_rich({"html": draft})


def _named(parts: Sequence[str]) -> str:
    """The parts, with a word of its own at each place for one."""
    numbers = iter(range(10_000))
    return re.sub("W", lambda _: f"word{next(numbers)}", "\n\n".join(parts))


STRUCTURES = st.lists(
    st.sampled_from(
        [
            "W **W** and *W*",
            "## W W",
            "- W\n- [ ] W\n- [x] **W**\n  - W\n    1. W\n    2. W",
            "3. W\n\n   W\n\n4. W",
            "> W\n> - W\n> > W",
            "| W | W |\n|---|:-:|\n| W | `W` |\n| W | [W](https://a.b/W) |",
            "```py\nW\n  W\n```",
            "$W_1$ and \\(W\\) or \\[W\\]",
            "$$\nW\n$$",
            "W  \nW\nW",
            "[W](x) ![W](https://a.b)",
            "    W\n    W",
            "---",
            "<b>W</b> || W || &amp; W",
        ]
    ),
    min_size=1,
    max_size=12,
)


@given(STRUCTURES)
def test_every_word_is_shown_once_and_in_its_place(parts: list[str]) -> None:
    source = _named(parts)
    if not source.strip("- \n"):
        return
    [body] = forced(source)
    told = re.findall(r"word\d+", shown(body).text)
    hidden = re.findall(r"https://a\.b/(word\d+)", source)
    assert told == [word for word in re.findall(r"word\d+", source) if word not in hidden]


@pytest.mark.parametrize(
    "source",
    [
        ("> " * 19 + "a\n") * 200,
        "\\(" * 700,
        "\\[" + "x" * 90_000,
        "$" * 1_400,
        "| a " * 25_000,
        "# " + "*a " * 30_000,
    ],
)
def test_a_text_made_to_be_costly_is_read_quickly(source: str) -> None:
    began = time.process_time()
    forced(source)
    assert time.process_time() - began < 20
