"""Components: they obey Discord's limits, and mean after any restart what they meant before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord.components import asked_by, components_of, dialogue_for, pressed
from bot.adapters.discord.pieces import split_content
from bot.domain.talk.message import REPLY_WITH, Hint, Markdown, Outbound, OutboundKind, Plain
from tests.standins.discord.rules import check_components, check_dialogue

BUTTON = st.fixed_dictionaries(
    {"label": st.text("ab✅ é", min_size=1, max_size=200).filter(str.strip)},
    optional={"asks": st.just("What?")},
).flatmap(
    lambda button: st.text("a:0", min_size=1, max_size=64).map(
        lambda data: {**button, "data": data}
    )
)


@given(rows=st.lists(st.lists(BUTTON, min_size=1, max_size=9), max_size=30))
def test_any_buttons_are_accepted_and_lead_back_to_their_data(
    rows: list[list[dict[str, str]]],
) -> None:
    made = components_of(rows)
    check_components(made)
    wanted = {button["data"] for row in rows for button in row}
    found: set[str | None] = set()
    for row in made:
        for one in row["components"]:
            values = [option["value"] for option in one.get("options", [])]
            found |= {pressed(one["custom_id"], [value]) for value in values or [""]}
    assert found == wanted or len(wanted) > 125


def test_only_a_button_that_asks_opens_a_dialogue() -> None:
    asks = {"label": "Else", "data": "b", "asks": "?"}
    [row] = components_of([[{"label": "Yes", "data": "a"}, asks]])
    plain, asking = (one["custom_id"] for one in row["components"])
    assert dialogue_for(plain, "Yes") is None
    dialogue = dialogue_for(asking, "Else " * 30)
    assert dialogue is not None
    check_dialogue(dialogue)


@pytest.mark.parametrize("sizes", [[1] * 9, [5, 5, 1, 1, 1, 1], [3] * 8, [5, 4, 5, 4, 5, 1, 1]])
def test_a_button_that_asks_stays_one_however_many_rows_there_are(sizes: list[int]) -> None:
    asks = {"label": "Else", "data": "b", "asks": "?"}
    made = components_of([[asks] * size for size in sizes])
    check_components(made)
    found = [one["custom_id"] for row in made for one in row["components"]]
    assert len(found) == sum(sizes)
    assert all(dialogue_for(custom_id, "Else") for custom_id in found)
    plain = components_of([[{"label": "Else", "data": "b"}] * size for size in sizes])
    assert {one["type"] for row in plain for one in row["components"]} == {3}


def test_a_component_of_somebody_else_says_nothing() -> None:
    assert pressed("hello", []) is None
    assert pressed("", []) is None
    assert pressed("w:a", []) is None
    assert pressed("s0:", []) is None


def test_every_message_that_asks_for_a_reply_gets_a_button_with_a_dialogue() -> None:
    asking = Outbound(OutboundKind.NOTICE, (Plain("So?"),), asks=Hint.NOTE)
    said = Outbound(OutboundKind.NOTICE, (Markdown("❓ Which?"), Markdown(f"{REPLY_WITH}words.")))
    for content, hint in ((asking, Hint.NOTE), (said, None)):
        (piece,) = split_content(content)
        [row] = components_of(piece.body["buttons"])
        [button] = row["components"]
        assert button["label"] == "✏️ Answer…"
        dialogue = dialogue_for(button["custom_id"], button["label"])
        assert dialogue is not None
        check_dialogue(dialogue)
        [field] = dialogue["components"][0]["components"]
        assert field.get("placeholder") == hint


@pytest.mark.parametrize("hint", list(Hint))
def test_a_dialogue_shows_the_hint_of_its_button_and_names_the_button(hint: Hint) -> None:
    [row] = components_of([[{"label": "Else", "data": "t:when:1", "asks": hint}]])
    [button] = row["components"]
    assert pressed(button["custom_id"], []) == "t:when:1"
    dialogue = dialogue_for(button["custom_id"], "Else")
    assert dialogue is not None
    check_dialogue(dialogue)
    assert dialogue["components"][0]["components"][0]["placeholder"] == hint
    assert asked_by(dialogue["custom_id"]) == "t:when:1"
