"""Beside foreign text no channel reads a link whose words hide a target that nobody wrote."""

from collections.abc import Callable, Iterator
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.domain.talk.web_address import link_of
from tests.adapters.hidden_links import in_a_terminal, on_discord, on_telegram, shown_text

Reader = Callable[[str, tuple[str, ...] | None], Iterator[tuple[str, str]]]

EVIL = "https://evil.example/?d=hunter2"
KNOWN = ("https://known.example/a", "https://known.example/", "https://evil.example/")
TICKS = "``"

LINKS = [
    f"[press]({EVIL})",
    f"[press](<{EVIL}>)",
    f"[press]( {EVIL} 'title')",
    f'[press](<{EVIL}>\n"title")',
    f"[press](\n{EVIL})",
    f"[a [b] c]({EVIL})",
    f"[a \\] b]({EVIL})",
    f"[two\nlines]({EVIL})",
    f"[`code`]({EVIL})",
    f"[**b** _i_]({EVIL})",
    f"[known.example]({EVIL})",
    f"[https://known.example/a]({EVIL})",
    f"![cat]({EVIL})",
    f"[![cat]({EVIL})]({EVIL})",
    f"[![cat](https://known.example/a)]({EVIL})",
    f"[press][r]\n\n[r]: {EVIL}",
    f"[r][]\n\n[r]: <{EVIL}> 'title'",
    f"[r]\n\n[r]:\n{EVIL}",
    f"[x\ny]\n\n[x y]: {EVIL}",
    f"[press](https://evil.example/`{EVIL[-7:]}`)",
    f"[press](https://evil.example/(a(b)c)?d={EVIL[-7:]})",
    f"[press](https://evil.example/#d={EVIL[-7:]})",
    f"[press](HTTPS://Evil.Example/?D={EVIL[-7:]})",
    f"[press](https&#58;//evil.example/?d={EVIL[-7:]})",
    f"[press](https\\://evil.example/?d={EVIL[-7:]})",
    f"[press](//evil.example/?d={EVIL[-7:]})",
    f"[press](tg://resolve?domain=evil&text={EVIL[-7:]})",
    f"[press](mailto:eve@evil.example?body={EVIL[-7:]})",
    f"<a href='{EVIL}'>press</a>",
    f"<{EVIL}> and {EVIL}",
    f"[](<{EVIL}>)",
    f"[\u200b]({EVIL})",
]

PLACES = [
    "{}",
    "a {} b",
    "> {}",
    "> - {}",
    "- {}",
    "1. {}",
    "# {}",
    "**{}**",
    "_{}_",
    "||{}||",
    "~~{}~~",
    "({})",
    "[{}]",
    "|a|\n|-|\n|{}|",
    "    {}",
    "\t{}",
    "`{}`",
    f"{TICKS}{{}}{TICKS}",
    f"{TICKS} ` {TICKS} {{}} {TICKS} ` {TICKS}",
    "` {} ``",
    "\\`{}`",
    "```\n{}\n```",
    "```\ncode\n```\n{}",
    "```\ncode\n ```\n{}",
    "```\ncode\n   ```\n{}",
    "```\ncode\n```\u00a0\n{}\n```",
    "```\ncode\n```\u000b\n{}\n```",
    "```\r\ncode\r\n```\r\n{}",
    "```a`b\n{}\n```",
    "~~~\ncode\n ~~~\n{}",
    "- a\n   ```\n{}",
    "<!-- {} -->",
    "<div>\n{}\n</div>",
    "$${}$$",
    "$x$ {} $y$",
    "\\(x\\) {} \\[y\\]",
    "\\[{}\\]",
    "word\n---\n{}\n===",
]


def in_place(link: str, place: str) -> str:
    """Returns a link in its place; in a quotation each of its lines is quoted."""
    mark = place[: place.index("{}")].rpartition("\n")[2]
    return place.format(link.replace("\n", f"\n{mark}") if mark.startswith(">") else link)


def hidden(read: Reader, text: str) -> list[tuple[str, str]]:
    """Returns the links that hide a target which nobody wrote."""
    return [
        (words, target)
        for words, target in read(text, KNOWN)
        if link_of(target) not in KNOWN and target not in words
    ]


@pytest.mark.parametrize("read", [on_telegram, on_discord, in_a_terminal])
@pytest.mark.parametrize("place", PLACES)
def test_no_form_of_a_link_hides_its_target(read: Reader, place: str) -> None:
    found = {text: hidden(read, text) for text in (in_place(link, place) for link in LINKS)}
    assert {text: links for text, links in found.items() if links} == {}
    assert len(found) == len(LINKS)


@pytest.mark.parametrize("channel", ["telegram", "discord"])
def test_the_whole_target_is_shown(channel: str) -> None:
    for link, place in product(LINKS[:4], ("{}", "> {}", "- {}", "**{}**")):
        assert EVIL in shown_text(in_place(link, place), KNOWN, channel)


@pytest.mark.parametrize("channel", ["telegram", "discord", "terminal"])
@pytest.mark.parametrize("links", [KNOWN, (), None])
def test_an_escaped_link_shows_as_it_was_written(
    channel: str, links: tuple[str, ...] | None
) -> None:
    shown = shown_text(f"a \\[Ann]({EVIL}) (owner)", links, channel)
    assert shown.replace("\u200b", "").replace("\\[", "[") == f"a [Ann]({EVIL}) (owner)"


def test_a_link_behind_an_escaped_backslash_shows_its_target() -> None:
    for channel in ("telegram", "discord"):
        assert f"Ann ({EVIL})" in shown_text(f"a \\\\[Ann]({EVIL})", KNOWN, channel)


@pytest.mark.parametrize("read", [on_telegram, on_discord])
def test_words_may_hide_what_somebody_wrote_and_anything_without_foreign_text(read: Reader) -> None:
    assert ("words", KNOWN[0]) in list(read(f"[words]({KNOWN[0]})", KNOWN))
    assert ("words", EVIL) in list(read(f"[words]({EVIL})", None))


SIGNS = st.sampled_from(
    [
        *("[", "]", "(", ")", "](", "][", "[words](", "[words]", "[r]: ", "[r]", "![", "<", ">"),
        *(EVIL, KNOWN[0], "https://evil.example/", "evil.example", "http:", "//", ":", "\\"),
        *("\n", "\n\n", "\r\n", "> ", "- ", "1. ", "    ", " ", "\t", "\u00a0", "\x0b", "\u200b"),
        *("`", "``", "```", "~~~", "\n```\n", "\n ```\n", "```py\n", "|", "||", "\n|-|\n", "#"),
        *("$", "$$", "\\(", "\\)", "\\[", "\\]", "\\href{", "*", "**", "_", "__", "~~", "'t'"),
        *("words", "a", f'<a href="{EVIL}">', "</a>", "<div>", "<br>", "<!--", "-->", "&#58;"),
    ]
)


@given(st.lists(SIGNS, max_size=30).map("".join))
@example(f"\\(x\\)[words\\(y\\)]({EVIL})")
def test_no_text_hides_the_target_of_a_link(text: str) -> None:
    for read in (on_telegram, on_discord, in_a_terminal):
        assert hidden(read, text) == []
