"""The data of all buttons: one codec, thirteen letters, and the buttons that hang in chats."""

from dataclasses import fields
from enum import StrEnum
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.consent.approval import Verb
from bot.domain.memory.note import NOTE_BUTTONS, NoteButton, NoteVerb
from bot.domain.plans.plan import PlanVerb, ReplaceVerb
from bot.domain.talk.button_data import MOST_BYTES, ButtonCodec
from bot.domain.tools.file_change import UNDO_BUTTONS, UndoButton, UndoVerb
from bot.flow.approvals.card_buttons import CARD_BUTTONS, CardButton
from bot.flow.arrivals.set_aside import ASIDE_BUTTONS, AsideButton
from bot.flow.commanding.choices import CHOICES, Choice
from bot.flow.groups.news import LEAVE_BUTTONS, LeaveButton
from bot.flow.memory.note_changing import change_button
from bot.flow.people.knocks import KNOCK_BUTTONS, KnockButton, KnockVerb
from bot.flow.people.zone_asking import ZONE_BUTTONS, ZoneButton, ZoneWay
from bot.flow.plans.cards import PLAN_BUTTONS, PlanButton
from bot.flow.plans.replace_question import REPLACE_BUTTONS, Replacement
from bot.flow.schedules.changing import TASK_BUTTONS, TaskButton, TaskPart
from bot.flow.turn.rest_card import REST_BUTTONS, RestButton, RestVerb
from bot.flow.undoing.edits import EDIT_BUTTONS, EditButton
from bot.flow.ways.buttons import END_BUTTONS, EndButton, EndVerb

HANGING: list[tuple[ButtonCodec[Any], str, Any]] = [
    (CARD_BUTTONS, "a:4f0c9d:y", CardButton("4f0c9d", Verb.APPROVE)),
    (PLAN_BUTTONS, "p:4f0c9d:3:c", PlanButton("4f0c9d", 3, PlanVerb.CHANGE)),
    (REPLACE_BUTTONS, "r:4f0c9d:3:71:r", Replacement("4f0c9d", 3, 71, ReplaceVerb.REPLACE)),
    (TASK_BUTTONS, "t:when:c0ffee", TaskButton(TaskPart.WHEN, "c0ffee")),
    (REST_BUTTONS, "w:8d2e:1:t", RestButton("8d2e", 1, RestVerb.TRY)),
    (ASIDE_BUTTONS, "x:71", AsideButton(71)),
    (END_BUTTONS, "e:a:8d2e", EndButton(EndVerb.AGAIN, "8d2e")),
    (END_BUTTONS, "e:m:8d2e:local/llama:8b", EndButton(EndVerb.MODEL, "8d2e", "local/llama:8b")),
    (EDIT_BUTTONS, "y:8d2e:71", EditButton("8d2e", 71)),
    (LEAVE_BUTTONS, "v:telegram:-100/7", LeaveButton("telegram:-100/7")),
    (CHOICES, "m:model:openai/gpt:x", Choice("model", "openai/gpt:x")),
    (CHOICES, "m:help:", Choice("help", "")),
    (NOTE_BUTTONS, "n:undo:ab12.cd34", NoteButton(NoteVerb.UNDO, "ab12.cd34")),
    (KNOCK_BUTTONS, "k:in:discord:99", KnockButton(KnockVerb.LET_IN, "discord", "99")),
    (UNDO_BUTTONS, "u:o:8d2e-1:2", UndoButton(UndoVerb.ONE, "8d2e-1", 2)),
    (ZONE_BUTTONS, "z:place", ZoneButton(ZoneWay.PLACE)),
]
"""Data as messages have carried it since the first release of each button, and its meaning."""

CODECS = {codec.letter: codec for codec, _, _ in HANGING}


@st.composite
def meanings(draw: st.DrawFn) -> tuple[ButtonCodec[Any], Any]:
    codec = draw(st.sampled_from(sorted(CODECS.values(), key=lambda one: one.letter)))
    hints = get_type_hints(codec.meaning)
    names = [field.name for field in fields(codec.meaning)]
    values = [draw(_field(hints[name], last=name == names[-1])) for name in names]
    return codec, codec.meaning(*values)


def _field(kind: type[Any], *, last: bool) -> st.SearchStrategy[Any]:
    if issubclass(kind, StrEnum):
        return st.sampled_from(kind)
    if issubclass(kind, int):
        return st.integers(0, 10**18 - 1)
    return st.text() if last else st.text(min_size=1).filter(lambda text: ":" not in text)


@given(meanings())
def test_a_button_is_read_as_it_was_written(one: tuple[ButtonCodec[Any], Any]) -> None:
    codec, meant = one
    assert codec.read(codec.data(meant)) == meant


@given(meanings())
def test_no_other_desk_reads_it(one: tuple[ButtonCodec[Any], Any]) -> None:
    codec, meant = one
    others = [other for other in CODECS.values() if other.letter != codec.letter]
    assert all(other.read(codec.data(meant)) is None for other in others)


@given(st.sampled_from(sorted(CODECS)), st.text() | st.from_regex(r"(:[a-z0-9]{0,2}){0,5}"))
def test_what_is_read_of_any_data_would_be_written_so(letter: str, rest: str) -> None:
    codec = CODECS[letter]
    meant = codec.read(letter + rest)
    assert meant is None or codec.read(codec.data(meant)) == meant


@pytest.mark.parametrize(("codec", "data", "meant"), HANGING)
def test_a_button_that_hangs_in_a_chat_keeps_its_meaning(
    codec: ButtonCodec[Any], data: str, meant: object
) -> None:
    assert codec.read(data) == meant
    assert codec.data(meant) == data


def test_the_button_that_asks_for_the_words_of_a_note_hangs_in_chats_too() -> None:
    assert change_button("Change", "ab12.cd34").data == "n:ab12.cd34"
    assert NOTE_BUTTONS.read("n:ab12.cd34") is None


@pytest.mark.parametrize(
    "data",
    [
        *(
            "",
            ":",
            "a",
            "a:",
            "a::y",
            "a:tok:Y",
            "a:tok:y:y",
            "p:tok:-1:y",
            "p:tok:²:y",
            "p:tok::y",
        ),
        *("x:", "x:1e3", f"x:{'9' * 19}", "y:turn:", "z:", "z:placed", "t:who:id", "n:wipe:id"),
        *("k:in:9", "k:yes:fake:9", "u:o:id", "u:o:id:1:1", "e:z:turn", "w:turn:1:t:t", "q:y"),
    ],
)
def test_forged_data_means_nothing(data: str) -> None:
    assert [letter for letter, codec in CODECS.items() if codec.read(data) is not None] == []


def test_only_a_button_that_fits_every_platform_stands_in_a_row() -> None:
    room = MOST_BYTES - len("m:skill:")
    assert CHOICES.row("x", Choice("skill", "n" * room))
    assert CHOICES.row("x", Choice("skill", "n" * (room + 1))) == ()
    assert CHOICES.row("x", Choice("skill", "ü" * (room // 2 + 1))) == ()
