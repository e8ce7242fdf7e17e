"""Markdown as HTML: what a text says is shown, and what it would like to do is not done."""

import pytest
from hypothesis import given, settings

from bot.adapters.web.rendering.markdown import LONGEST, html_of, unmarked
from tests.adapters.web.rendering.hostile import ATTACKS, texts
from tests.adapters.web.rendering.safe_html import faults_of, links_of, skeleton_of, text_of


@given(texts)
@settings(max_examples=400, deadline=None)
def test_no_text_becomes_a_tag_or_an_attribute_that_is_not_ours(text: str) -> None:
    for links in ((), None):
        html = html_of(text, links)
        assert faults_of(html) == []
        assert all(
            one.lower().startswith(("http://", "https://", "mailto:")) for one in links_of(html)
        )


@pytest.mark.parametrize("text", ATTACKS)
def test_each_attack_stays_a_text(text: str) -> None:
    html = html_of(text)
    assert faults_of(html) == []
    assert [
        one for one in skeleton_of(html) if one.startswith(("<script", "<img", "<iframe"))
    ] == []


def test_the_parser_would_tell_a_fault() -> None:
    assert faults_of("<p onclick='x'>a</p>") == ["<p onclick='x'>"]
    assert faults_of("<p>a<script>") == ["<script>"]
    assert faults_of("<a href='javascript:x'>a</a>") == ["<a href='javascript:x'>"]


@pytest.mark.parametrize(
    ("text", "links", "shown"),
    [
        ("[the manual](https://example.org/m)", (), "the manual (https://example.org/m)"),
        ("[the manual](https://example.org/m)", ("https://example.org/m",), "the manual"),
        ("[the manual](https://example.org/m)", None, "the manual"),
        ("[https://example.org/m](https://example.org/m)", (), "https://example.org/m"),
        ("[https://bank.example](https://evil.example)", (), "https://bank.example (https://evil.example)"),
        ("![a cat](https://example.org/c.png)", (), "a cat (https://example.org/c.png)"),
        ("[![a](https://e.example/1)](https://e.example/2)", (), "a (https://e.example/2)"),
    ],
)  # fmt: skip
def test_words_hide_no_target_that_they_may_not_hide(
    text: str, links: tuple[str, ...] | None, shown: str
) -> None:
    assert text_of(html_of(text, links)).strip() == shown


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("See https://example.org/a_b_c.", ["https://example.org/a_b_c"]),
        ("(https://example.org/x)", ["https://example.org/x"]),
        ("https://en.example/Rome_(city)!", ["https://en.example/Rome_(city)"]),
        ("<https://example.org>", ["https://example.org"]),
        ("`https://example.org`", []),
        ("[a](https://example.org) https://example.net", ["https://example.org", "https://example.net"]),
        ("javascript:alert(1)", []),
        ("[x](/leave)", []),
        ("[x](//example.org)", []),
        ("[x](ftp://example.org)", []),
    ],
)  # fmt: skip
def test_links_lead_to_the_web_and_nowhere_else(text: str, links: list[str]) -> None:
    assert links_of(html_of(text)) == links


def test_headings_stand_below_those_of_the_page_and_skip_no_level() -> None:
    html = html_of("#### Deep\n\n# Top\n\n### Third\n\n###### Sixth\n\n## Second")
    assert [one[:3] for one in skeleton_of(html) if one.startswith("<h")] == [
        "<h3", "<h3", "<h4", "<h5", "<h4",
    ]  # fmt: skip


def test_a_table_has_its_numbers_at_the_end_and_scrolls_by_itself() -> None:
    html = html_of("| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3 |")
    assert html.startswith('<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
    assert html.count('class="end"') == html.count('class="middle"') == 2
    assert "style" not in html


@pytest.mark.parametrize("language", ["python", "bash", "json", "html", "sql", "no-such-language"])
def test_code_is_shown_as_it_was_written(language: str) -> None:
    code = "def f(x):\n\treturn '<b>' + x  # &amp; \r\n\n\n    end  "
    html = html_of(f"```{language}\n{code}\n```")
    shown = text_of(html).removesuffix("\n").removeprefix(language).removeprefix("Copy")
    assert shown == code.replace("\r\n", "\n")


def test_known_words_of_code_have_a_class_and_no_style() -> None:
    html = html_of('```python\nif x: print("a")  # why\n```')
    assert '<span class="k">if</span>' in html
    assert '<span class="c"># why</span>' in html
    assert '<span class="s">&#34;</span>' in html or '<span class="s">&#34;a&#34;</span>' in html


def test_a_text_that_is_too_long_is_shown_as_it_was_written() -> None:
    text = "**a** " * (LONGEST // 6 + 1)
    html = html_of(text)
    assert skeleton_of(html) == ["<pre aria-label role tabindex>", "</pre>"]
    assert text_of(html) == text


@pytest.mark.parametrize(
    "piece", ["[", "*", "> ", "- ", "`", "![", "<", "_a", "](", "\\", "|", "~~"]
)
def test_many_beginnings_cost_no_more_than_their_length(piece: str) -> None:
    """Bounded by the time-out of a test: what takes their square does not end."""
    assert faults_of(html_of(piece * (50_000 // len(piece)))) == []


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("**Paid** on _Monday_ with `card 2`", "Paid on Monday with card 2"),
        ("[the book](https://example.org/m), ![a cat](https://e.example/c)", "the book, a cat"),
        ("2 * 3 * 4 = 24, snake_case_name", "2 * 3 * 4 = 24, snake_case_name"),
        ("<b>bold</b>\nand **open", "<b>bold</b> and **open"),
        ("", ""),
    ],
)
def test_a_line_is_read_without_its_marks(text: str, read: str) -> None:
    assert unmarked(text) == read
