"""The reasons on a card: each is given once, and where there is one no standing rule is offered."""

from bot.domain.tools.tool import Effect, ExactRule, Preview

CARD = Preview(
    "Write a.md", "Write a.md", Effect.WRITE, always=ExactRule("{}"), always_label="a.md"
)
DANGEROUS, OWNERS = "This call is dangerous", "Only an owner can approve this (Ann)"


def test_a_card_gives_each_of_its_reasons_once_in_the_order_they_came() -> None:
    told = CARD.explained(DANGEROUS).explained(OWNERS)
    assert told.why == f"{DANGEROUS}. {OWNERS}"
    assert told.explained(DANGEROUS).explained(OWNERS) == told


def test_no_reason_leaves_the_words_of_a_card_as_they_are() -> None:
    assert CARD.explained("").why == ""
    assert CARD.explained(OWNERS).explained("").why == OWNERS


def test_a_card_that_has_a_reason_to_ask_offers_no_standing_rule() -> None:
    told = CARD.explained(OWNERS)
    assert (told.always, told.always_label) == (None, "")
