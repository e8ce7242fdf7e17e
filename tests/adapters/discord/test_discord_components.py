"""Components: they obey Discord's limits, and mean after any restart what they meant before."""

from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord.components import components_of, dialogue_for, pressed
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


def test_a_component_of_somebody_else_says_nothing() -> None:
    assert pressed("hello", []) is None
    assert pressed("", []) is None
    assert pressed("w:a", []) is None
    assert pressed("s0:", []) is None
