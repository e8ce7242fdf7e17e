"""Templates: no value that they show becomes a tag, an attribute or a script of the page."""

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError

from bot.adapters.web.frame import Frame
from bot.adapters.web.rendering.renderer import Renderer
from bot.adapters.web.rendering.static_files import FOLDER
from bot.adapters.web.rendering.views import (
    CardView,
    CellView,
    DiffLineView,
    DiffView,
    KeyView,
    NoteView,
    ReasonView,
    RowView,
    SignView,
    StepsView,
    StepView,
    TableView,
    WordsView,
)
from bot.adapters.web.shown import ListedChat, OpenableTalk, ShownChat, ShownFile, ShownSession
from bot.domain.talk.message import (
    Button,
    CallBlock,
    CodeBlock,
    Outbound,
    OutboundKind,
    Plain,
)
from bot.ports.listed import Ways
from bot.ports.view_page import OpenLine, SeenNow
from tests.adapters.web.rendering.hostile import ATTACKS
from tests.adapters.web.rendering.safe_html import skeleton_of
from tests.browser.samples import CHATS, COMMANDS, NOW, own, steward

RENDERER = Renderer()

_strange = st.one_of(st.sampled_from(ATTACKS), st.text(max_size=30)).map(
    # Code between backticks is set as code, and lines are parted: both are asked for elsewhere.
    lambda text: "x" + "".join(text.replace("`", "").splitlines())
)


def _chat(text: str) -> dict[str, Any]:
    card = Outbound(
        OutboundKind.CARD,
        (
            Plain(text, style="title"),
            CodeBlock(text, text),
            CodeBlock(f"-{text}", "diff"),
            Plain(f"⚠️ {text}"),
            Plain(text),
            Plain(f"✓ {text}", style="line"),
            Plain(text, style="aside"),
            CallBlock(text, f"in {text}", text, text),
        ),
        ((Button(text, text), Button(text, text, text)),),
        asks=text,
    )
    note = Outbound(OutboundKind.OPTION, (Plain(text),), ((Button(text, text),),), asks=text)
    file = ShownFile(text, text, "/file/1", outside=True)
    picture = ShownFile(text, text, "/file/2", picture=True)
    messages = (
        own(1, text, 3, name=text, where=text, files=(file, picture), editable=True),
        own(2, text, 3, outside=text),
        steward(3, card, 2, press=True),
        steward(4, card, 2),
        steward(5, note, 2, press=True),
        steward(6, Outbound(OutboundKind.ANSWER, (Plain(text),)), 1, turn=text, figures=text),
        steward(7, Outbound(OutboundKind.CALLS, (CallBlock(text, f"in {text}", text),)), 1),
    )
    chats = tuple(ListedChat(text, text, text, one.at, one.waiting) for one in CHATS)
    return {
        "frame": Frame(text, "chat", 3, text, text, owner=True),
        "chat": ShownChat(text, text, text, text, text),
        "chats": chats,
        "messages": messages,
        "openable": (
            OpenableTalk(text, text, current=True),
            OpenableTalk(text, text, current=False),
        ),
        "seen": SeenNow(9, 10, (text,), (text,), (text,), True, (OpenLine(text, text, text),)),
        "older": "/older",
        "commands": (*COMMANDS, (text, text, text)),
        "draft_id": text,
        "line": 1,
        "stream": text,
    }


@given(_strange)
@settings(max_examples=60, deadline=None)
def test_no_text_changes_the_tags_of_the_chat(text: str) -> None:
    page = RENDERER.page("chat.html", **_chat(text))
    assert skeleton_of(page) == skeleton_of(RENDERER.page("chat.html", **_chat("xyz")))


@given(_strange)
@settings(max_examples=30, deadline=None)
def test_no_text_changes_the_tags_of_other_pages(text: str) -> None:
    for template, values in _others(text).items():
        harmless = RENDERER.page(template, **_others("xyz")[template])
        assert skeleton_of(RENDERER.page(template, **values)) == skeleton_of(harmless)


def _others(text: str) -> dict[str, dict[str, Any]]:
    frame = Frame(text, "more", 1, text, text, owner=False)
    return {
        "enter.html": {"fault": text},
        "fault.html": {"status": 400, "sentence": text},
        "chats.html": {
            "frame": frame,
            "chats": (ListedChat(text, text, text, NOW),),
            "ways": Ways(text, text),
        },
        "sessions.html": {
            "frame": frame,
            "sessions": (ShownSession(text, text, NOW, NOW, here=False),),
        },
        "more.html": {"frame": frame},
    }


_PARTS = """
{% from "parts/keys.html" import key, press, sign, tag, count %}
{% from "parts/card.html" import card %}
{% from "parts/alien.html" import alien, outside %}
{% from "parts/note.html" import note, empty %}
{% from "parts/table.html" import table %}
{{ key(one) }}{{ press(frame, text, ((text, text),), one) }}{{ sign(signed) }}{{ tag(text) }}
{{ count(3) }}{{ card(carded, frame) }}{{ alien(text, text) }}{{ outside(text) }}
{{ note(noted, frame, text, ((text, text),)) }}{{ empty(text, text) }}{{ table(tabled) }}
"""


def _parts(text: str) -> str:
    one = KeyView(text, text, "main", name=text, value=text, shortcut=text)
    signed = SignView(text, text, "wait", text)
    steps = StepsView((StepView(text, text, text, "good", text),))
    diff = DiffView((DiffLineView("+", ((text, True), (text, False))),), text)
    carded = CardView(
        text, text, text, True, signed, (steps, diff, WordsView(text)),
        (ReasonView(text, text, text),), (text,), (one, KeyView(text, asks=text)), (text,),
        text, ((text, text),), text, text,
    )  # fmt: skip
    row = RowView(text, (CellView(text, text, signed, text, end=True),), text, text)
    environment = RENDERER._environment
    return environment.from_string(_PARTS).render(
        one=one,
        signed=signed,
        carded=carded,
        noted=NoteView(text, text, "bad", (one,), alert=True),
        tabled=TableView(text, ((text, True),), (row,)),
        text=text,
        frame=Frame(text, "more", 1, text, text, owner=False),
    )


@given(_strange)
@settings(max_examples=50, deadline=None)
def test_no_text_changes_the_tags_of_a_part(text: str) -> None:
    assert skeleton_of(_parts(text)) == skeleton_of(_parts("xyz"))


def test_the_comparison_would_tell_an_unescaped_value() -> None:
    assert skeleton_of("<p>a<b>") != skeleton_of("<p>a&lt;b>")


def test_a_value_that_is_missing_is_a_fault_and_not_an_empty_place() -> None:
    with pytest.raises(UndefinedError):
        RENDERER.page("chats.html", frame=None)


def test_no_page_has_a_script_or_a_style_of_its_own() -> None:
    pages = [RENDERER.page("chat.html", **_chat("xyz"))]
    pages += [RENDERER.page(name, **values) for name, values in _others("xyz").items()]
    for page in pages:
        tags = skeleton_of(page)
        assert not [one for one in tags if "style" in one or " on" in one]
        scripts = [one for one in tags if one.startswith("<script")]
        assert set(scripts) == {"<script defer src>"}


def test_every_static_file_is_used_by_a_page_under_its_hash() -> None:
    templates = "".join(path.read_text() for path in (FOLDER.parent / "templates").rglob("*.html"))
    for path in FOLDER.iterdir():
        assert f"{{{{ static_url('{path.name}') }}}}" in templates


def test_the_views_have_a_part_that_shows_each_field() -> None:
    templates = "".join(path.read_text() for path in (FOLDER.parent / "templates").rglob("*.html"))
    for view in (CardView, KeyView, NoteView, TableView, RowView, CellView, SignView, StepView):
        unused = [one.name for one in fields(view) if f".{one.name}" not in templates]
        assert unused == [], view.__name__
