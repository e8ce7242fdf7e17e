"""What a card shows, and what its buttons carry."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.approval import Approval, ApprovalState, Verb
from bot.domain.message import CodeBlock, Outbound
from bot.domain.tool import Effect, ExactRule, Preview
from bot.flow.approvals.cards import button_data, decided_card, open_card, parse_data
from tests.domain.logs import NOON, call, card

tokens = st.text(alphabet="abcXYZ019_-", min_size=1, max_size=43)


def shown(content: Outbound) -> str:
    return "\n".join(block.text for block in content.blocks)


def labels(content: Outbound) -> list[list[str]]:
    return [[button.label for button in row] for row in content.buttons]


def asked(effect: Effect = Effect.WRITE, **changes: object) -> Approval:
    seen = Preview(
        "Run a command?",
        "pytest -q",
        effect,
        (CodeBlock("$ pytest -q"),),
        where="in workspace",
        always=ExactRule("{}"),
        always_label="pytest -q",
    )
    return replace(card(call("run_command")), preview=seen, **changes)


@given(tokens, st.sampled_from(Verb))
def test_button_data_fits_every_platform_and_reads_back(token: str, verb: Verb) -> None:
    data = button_data(replace(asked(), token=token), verb)
    assert len(data.encode()) <= 64
    assert parse_data(data) == (token, verb)


@given(st.text() | st.from_regex(r"a:[a-z]{0,2}:[a-z]{0,2}:?[a-z]?", fullmatch=True))
def test_data_that_is_none_of_ours_means_nothing(data: str) -> None:
    parsed = parse_data(data)
    assert parsed is None or button_data(replace(asked(), token=parsed[0]), parsed[1]) == data


@pytest.mark.parametrize(
    "data", ["", "a", "a:tok", "a::y", "b:tok:y", "a:tok:Y", "a:tok:", "a:tok:y:y", "a:tok:zz"]
)
def test_forged_data_is_refused(data: str) -> None:
    assert parse_data(data) is None


def test_every_button_of_a_card_names_that_card() -> None:
    for row in open_card(asked(group=3)).buttons:
        for button in row:
            parsed = parse_data(button.data)
            assert parsed is not None
            assert parsed[0] == asked().token


def test_a_card_that_others_see_names_who_asked() -> None:
    assert "asked by Ann for “" in shown(open_card(asked(asker_name="Ann")))
    assert "asked by" not in shown(open_card(asked()))


def test_an_open_card_shows_the_whole_call_its_place_and_its_purpose() -> None:
    told = shown(open_card(asked()))
    assert told.splitlines() == [
        "🔐 Run a command?",
        "$ pytest -q",
        "in workspace · for “the report”",
        "Open until 2026-11-02 12:00 UTC",
    ]


def test_a_card_says_why_it_asks_in_spite_of_a_rule() -> None:
    because = replace(asked().preview, why="a document is in view")
    assert "⚠️ a document is in view" in shown(open_card(replace(asked(), preview=because)))


def test_a_danger_offers_no_standing_rule() -> None:
    assert labels(open_card(asked()))[0] == ["✅ Approve", "🔁 Always: pytest -q"]
    assert labels(open_card(asked(Effect.DANGER)))[0] == ["✅ Approve"]


def test_only_the_first_card_of_several_approves_them_all() -> None:
    assert labels(open_card(asked(group=3)))[-1] == ["✅ Approve all (3)"]
    assert ["✅ Approve all (3)"] not in labels(open_card(asked(group=3, position=1)))
    assert len(labels(open_card(asked()))) == 2


def test_a_repetition_is_asked_with_go_on_and_stop() -> None:
    assert labels(open_card(asked(kind="repeat"))) == [["▶️ Go on", "⏹ Stop"]]


@pytest.mark.parametrize("state", ApprovalState)
def test_a_decided_card_keeps_the_call_and_loses_its_buttons(state: ApprovalState) -> None:
    content = decided_card(asked(state=state, decided_at=NOON))
    assert content.buttons == ()
    assert "$ pytest -q" in shown(content)
    assert "2026-11-01 12:00 UTC" in shown(content)


def test_a_decided_card_names_who_decided_when_and_why() -> None:
    decided = asked(
        state=ApprovalState.DENIED,
        decided_by=1,
        decider_name="Bo",
        decided_at=NOON,
        reason="too early",
    )
    assert shown(decided_card(decided, "It did not run.")).splitlines()[-3:] == [
        "❌ Denied by Bo · 2026-11-01 12:00 UTC",
        "“too early”",
        "It did not run.",
    ]
