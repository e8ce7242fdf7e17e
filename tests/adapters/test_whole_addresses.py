"""An address in an answer keeps each of its letters, on every channel."""

import re
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.adapters.telegram.pieces import split_content
from bot.adapters.web.rendering.markdown import html_of
from bot.domain.talk.message import Markdown, Outbound, OutboundKind
from tests.adapters.hidden_links import shown_text
from tests.adapters.web.rendering.safe_html import text_of
from tests.standins.bot_api.rich_markup import characters, parse_html

CHANNELS = ("telegram", "telegram, rich", "discord", "terminal", "page")
ADDRESSES = st.text("ab_*~-./0()?=#", min_size=1, max_size=20).map(
    # Signs behind an address belong to the sentence.
    lambda path: f"https://x.example/{path.replace('(', '').replace(')', '')}z"
)
PLACES = (
    "{}",
    "See {} for more.",
    "**Bold** and _more_: {}\n\n__The__ *end*, ~~that~~.",
    "- one\n- {}\n",
    "> {}",
    "**See {}**",
    "_{}_",
    "# {}",
    "({})",
    "**{}**: the docs",
    "**{}**, or ask.",
    "~~{}~~, gone",
    "**Docs: {}**.",
)


def read(text: str, channel: str) -> str:
    if channel == "page":
        return text_of(html_of(text))
    if channel == "telegram, rich":
        answer = Outbound(OutboundKind.ANSWER, (Markdown(text, links=()),))
        bodies = [piece.body for piece in split_content(answer, rich=True, keep=True)]
        return "".join(
            characters(parse_html(body["rich"])) if "rich" in body else body["text"]
            for body in bodies
        )
    return shown_text(text, (), channel)


@pytest.mark.parametrize("channel", CHANNELS)
@given(address=ADDRESSES, place=st.sampled_from(PLACES))
def test_no_mark_within_an_address_is_taken_for_formatting(
    channel: str, address: str, place: str
) -> None:
    # Of the marks around it nobody can tell which one closes them.
    assume(not {*"*_~"} & {*place.replace("__The__ *end*, ~~that~~", "")} & {*address})
    assert address in read(place.format(address), channel)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(
    "address",
    [
        "https://github.example/a/__init__.py",
        "https://x.example/wiki/A_(b)_c_d",
        "http://127.0.0.1:8787/enter#558ffe0a-_iaG0_.",
        "HTTPS://x.example/*a*/~~b~~/_c_/d",
    ],
)
def test_such_addresses_of_people_stay_whole(channel: str, address: str) -> None:
    assert address in read(f"Look at {address} and __there__.", channel)


@pytest.mark.parametrize("channel", CHANNELS)
def test_formatting_around_an_address_and_code_stay_what_they_are(channel: str) -> None:
    told = read("**https://x.example/a_b** _https://x.example/_ `https://x.example/_c_`", channel)
    assert "\\" not in told
    signs = "**" if channel == "discord" else ""
    assert f"{signs}https://x.example/a_b{signs} " in told
    assert "https://x.example/_c_" in told


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("See **https://x.example**, or ask.", "See https://x.example, or ask."),
        ("**https://x.example/a**/**https://x.example/b**", "https://x.example/a/"),
        ("\u6587\u6863**https://x.example**\u3002", "\u6587\u6863https://x.example\u3002"),
        ("*https://x.example*.", "https://x.example."),
        ("~~https://x.example~~, gone", "https://x.example, gone"),
    ],
)
def test_signs_behind_a_formatted_address_belong_to_the_sentence(
    channel: str, source: str, shown: str
) -> None:
    told = read(source, channel)
    assert shown in (re.sub(r"\*\*|\*|~~", "", told) if channel == "discord" else told)


@pytest.mark.parametrize("channel", ["telegram", "telegram, rich"])
def test_code_within_html_gets_no_signs(channel: str) -> None:
    told = read("<div>\n```\ncurl https://x.example/a_b_c\n```\n</div>", channel)
    assert "curl https://x.example/a_b_c" in told


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_link_with_words_keeps_its_target(channel: str) -> None:
    told = read("[words](https://x.example/__a__/b) and **[more](https://x.example/c)**d", channel)
    assert "https://x.example/__a__/b" in told
    assert "https://x.example/c" in told
    assert "\\" not in told


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("https://x.example/(" + "****a" * 9, id="a bracket that never closes"),
        pytest.param("*https://x.example/a " + "*https://x.example/a" * 3_000, id="each opens one"),
        pytest.param("https://x.example/(a" * 1_000, id="brackets"),
        pytest.param("https://x.example/" + "*" * 9_000, id="marks alone"),
    ],
)
def test_no_text_is_looked_at_for_addresses_for_long(channel: str, text: str) -> None:
    before = process_time()
    assert "x.example" in read(text, channel)
    assert process_time() - before < 2


@pytest.mark.parametrize("channel", ["telegram", "page", "terminal"])
def test_an_address_right_behind_a_formatted_one_is_whole(channel: str) -> None:
    told = read("**https://x.example/a**/**https://x.example/b/_c_/d**, or ask.", channel)
    assert "https://x.example/a/https://x.example/b/_c_/d, or ask." in told
