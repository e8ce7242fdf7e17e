"""What a card shows, and what its buttons carry."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.consent.approval import Approval, ApprovalState, Verb
from bot.domain.talk.message import CodeBlock, Outbound, Plain
from bot.domain.tools.tool import (
    Code,
    Effect,
    ExactRule,
    PathRule,
    Preview,
    Status,
    ToolResult,
    ToolRule,
)
from bot.flow.approvals.card_buttons import CARD_BUTTONS, CardButton
from bot.flow.approvals.cards import open_card
from bot.flow.approvals.decided_cards import decided_card
from bot.flow.approvals.fitting import LONGEST, beginning
from bot.flow.log.closing import ENDED_BY_FAULT
from tests.domain.logs import NOON, call, card
from tests.words import (
    ALWAYS,
    NOT_DECIDED,
    NOT_SHOWN,
    REPLY_HINT,
    RULE_PAUSED,
    SENT_BACK,
    STOP_WORK,
)

tokens = st.text(alphabet="abcXYZ019_-", min_size=1, max_size=43)


def shown(content: Outbound) -> str:
    return "\n".join(block.text for block in content.blocks)


def labels(content: Outbound) -> list[list[str]]:
    return [[button.label for button in row] for row in content.buttons]


def asked(effect: Effect = Effect.WRITE, **changes: object) -> Approval:
    seen = Preview(
        "Run `pytest -q`",
        "Run `pytest -q`",
        effect,
        (CodeBlock("$ pytest -q"),),
        where="in workspace",
        always=ExactRule("{}"),
        done="Ran `pytest -q`",
    )
    return replace(card(call("run_command")), preview=seen, **changes)


@given(tokens, st.sampled_from(Verb))
def test_button_data_fits_every_platform_and_reads_back(token: str, verb: Verb) -> None:
    data = CARD_BUTTONS.data(CardButton(token, verb))
    assert len(data.encode()) <= 64
    assert CARD_BUTTONS.read(data) == CardButton(token, verb)


@given(st.text() | st.from_regex(r"a:[a-z]{0,2}:[a-z]{0,2}:?[a-z]?", fullmatch=True))
def test_data_that_is_none_of_ours_means_nothing(data: str) -> None:
    meant = CARD_BUTTONS.read(data)
    assert meant is None or CARD_BUTTONS.data(meant) == data


@pytest.mark.parametrize(
    "data", ["", "a", "a:tok", "a::y", "b:tok:y", "a:tok:Y", "a:tok:", "a:tok:y:y", "a:tok:zz"]
)
def test_forged_data_is_refused(data: str) -> None:
    assert CARD_BUTTONS.read(data) is None


def test_every_button_of_a_card_names_that_card() -> None:
    for row in open_card(asked(group=3)).buttons:
        for button in row:
            meant = CARD_BUTTONS.read(button.data)
            assert meant is not None
            assert meant.token == asked().token


def test_a_card_that_others_see_names_who_asked() -> None:
    assert "asked by Ann for “" in shown(open_card(asked(asker_name="Ann")))
    assert "asked by" not in shown(open_card(asked()))


def test_an_open_card_says_what_will_happen_shows_it_whole_and_says_why_it_asks() -> None:
    because = replace(asked().preview, why="It deletes broadly")
    blocks = open_card(replace(asked(), preview=because)).blocks
    assert [(b.text, b.style if isinstance(b, Plain) else b.kind) for b in blocks] == [
        ("🔐 Run `pytest -q`", "title"),
        ("$ pytest -q", "code"),
        ("⚠️ It deletes broadly", ""),
        ("in workspace", ""),
        ("for “the report”", "aside"),
        (REPLY_HINT, "aside"),
        (NOT_DECIDED, "aside"),
    ]


def test_a_card_tells_of_its_round_and_names_the_request_once() -> None:
    round = replace(asked().preview, together=3)
    first = shown(open_card(replace(asked(), preview=round)))
    second = shown(open_card(replace(asked(position=1), preview=round)))
    assert "🔐 Run `pytest -q` · 1 of 3" in first
    assert "🔐 Run `pytest -q` · 2 of 3" in second
    assert "for “the report”" in first
    assert "for “" not in second


def test_the_workspace_is_not_worth_a_word() -> None:
    seen = replace(asked().preview, where="in the workspace")
    assert "in the workspace" not in shown(open_card(replace(asked(), preview=seen)))


def test_a_command_names_its_place_in_words_that_people_know() -> None:
    """A rule is given for the words of the preview, so those stay as they are."""
    seen = replace(asked().preview, where="in the workspace, sandboxed, no network")
    card = replace(asked(), preview=seen)
    assert "in the working folder, sandboxed, no network" in shown(open_card(card))
    assert card.preview.where == seen.where


def test_a_card_says_that_a_rule_is_paused_and_by_what() -> None:
    paused = replace(asked().preview, paused="a document")
    assert f"⚠️ {RULE_PAUSED} (a document). /new resumes it." in shown(
        open_card(replace(asked(), preview=paused))
    )


def test_the_buttons_say_what_they_grant_and_none_grants_what_cannot_count() -> None:
    last = [["❌ Deny", "✏️ Change…"], [STOP_WORK]]
    assert labels(open_card(asked())) == [["✅ Approve"], [f"{ALWAYS}this command"], *last]
    folder = replace(asked().preview, wider=PathRule("notes"))
    both = labels(open_card(replace(asked(), preview=folder)))
    assert both == [
        ["✅ Approve"],
        [f"{ALWAYS}this command"],
        ["🔁 Always run documents in notes/"],
        *last,
    ]
    once = replace(folder, once=True)
    assert labels(open_card(replace(asked(), preview=once))) == [
        ["✅ Approve"],
        ["🔁 Always run documents in notes/"],
        *last,
    ]
    tool = replace(asked().preview, always=ToolRule(), always_label="any echo")
    assert labels(open_card(replace(asked(), preview=tool)))[1] == ["🔁 Always allow any echo"]
    danger = replace(folder, effect=Effect.DANGER)
    assert labels(open_card(replace(asked(), preview=danger))) == [["✅ Approve"], *last]


def test_only_the_first_card_of_several_approves_them_all_and_says_what_it_leaves_out() -> None:
    assert labels(open_card(asked(group=3)))[-1] == ["✅ Approve all"]
    assert ["✅ Approve all"] not in labels(open_card(asked(group=3, position=1)))
    assert len(labels(open_card(asked()))) == 4
    more = replace(asked().preview, together=4)
    partly = open_card(replace(asked(group=3), preview=more))
    assert labels(partly)[-1] == ["✅ Approve all but the ⚠️"]


def test_a_repetition_is_asked_with_go_on_and_stop_and_told_in_these_words() -> None:
    card = asked(kind="repeat", decided_by=1, decider_name="Ann", asker=1)
    assert labels(open_card(card)) == [["▶️ Go on", "⏹ Stop"]]
    assert told(replace(card, state=ApprovalState.DENIED)) == "⏹ Stopped · Run `pytest -q`"
    assert told(replace(card, state=ApprovalState.APPROVED)) == "▶️ Going on · Run `pytest -q`"


def told(card: Approval, result: ToolResult | None = None, timezone: str | None = None) -> str:
    """The line of a decided card."""
    content = decided_card(card, timezone=timezone, result=result)
    assert content.buttons == ()
    (line,) = content.blocks
    return line.text


@pytest.mark.parametrize("state", ApprovalState)
def test_a_decided_card_is_one_line_with_the_deed_and_the_local_time(state: ApprovalState) -> None:
    card = asked(state=state, decided_at=NOON)
    assert told(card, timezone="Asia/Tokyo").endswith(" · Run `pytest -q` · 21:00")
    assert told(card).endswith(" · Run `pytest -q`")
    assert told(card, timezone="no/where").endswith(" · Run `pytest -q`")


def test_a_decided_card_names_who_decided_where_it_was_somebody_else_or_others_see_it() -> None:
    decided = asked(
        state=ApprovalState.DENIED, decided_by=1, asker=1, decider_name="Bo", reason="too  early"
    )
    assert told(decided) == f"{SENT_BACK} · Run `pytest -q` · “too early”"
    other = f"{SENT_BACK} · Run `pytest -q` · Bo: “too early”"
    assert told(replace(decided, decided_by=2)) == other
    assert told(replace(decided, asker_name="Ann")) == other


def test_a_card_that_could_not_be_shown_gives_the_platforms_words_as_the_reason() -> None:
    unshown = asked(state=ApprovalState.UNASKABLE, reason="Bad Request: no rights")
    assert told(unshown) == f"{NOT_SHOWN} · Run `pytest -q` · “Bad Request: no rights”"


def test_a_card_tells_what_came_of_its_call() -> None:
    card = asked(state=ApprovalState.APPROVED, decided_by=1, asker=1, decider_name="Bo")
    good = ToolResult(card.call.id, "run_command", Status.SUCCESS, "All is well.")
    assert told(card, good) == "✅ Ran `pytest -q`"
    bad = replace(good, status=Status.FAILED, text="\n exit code 1\x1b of it\nmore")
    assert told(card, bad) == "✗ Run `pytest -q`: exit code 1\\x1b of it"
    unknown = replace(bad, code=Code.OUTCOME_UNKNOWN, synthetic=True)
    assert told(card, unknown) == "❓ Run `pytest -q`: outcome unknown"
    unrun = replace(bad, synthetic=True, text="Not run: no.")
    assert told(card, unrun) == "⏹ Run `pytest -q`: Not run: no."
    late = replace(unrun, code=Code.ERROR, text="x.md: the passage does not occur")
    assert told(card, late) == "✗ Run `pytest -q`: x.md: the passage does not occur"
    ours = replace(late, text=ENDED_BY_FAULT)
    assert told(card, ours) == "⏭ Run `pytest -q`: skipped, I failed before it"
    named = replace(card, asker_name="Ann")
    assert told(named, good) == "✅ Ran `pytest -q` · approved by Bo"


@given(st.text(max_size=LONGEST + 500))
def test_a_card_shows_the_whole_of_a_thing_or_brings_it_as_a_document(text: str) -> None:
    seen = replace(asked().preview, blocks=(CodeBlock(text, folds=True),), document="todo.md")
    content = open_card(replace(asked(), preview=seen))
    if len(text) <= LONGEST:
        assert content.blocks[1] == CodeBlock(text, folds=True)
        assert content.files == ()
    else:
        (file,) = content.files
        assert (file.name, file.text) == ("todo.md", text)
        assert text.startswith(content.blocks[1].text.removesuffix("…"))
    assert decided_card(replace(asked(), preview=seen)).files == content.files


@given(st.lists(st.text("ab", max_size=30), max_size=30), st.integers(1, 200))
def test_a_long_thing_begins_with_whole_lines(lines: list[str], longest: int) -> None:
    text = "\n".join(lines)
    begun = beginning(text, longest)
    assert len(begun) <= longest
    if len(text) > longest and "\n" in text[1 : longest + 1]:
        assert text[len(begun)] == "\n"
        assert text.startswith(begun)
