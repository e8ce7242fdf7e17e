"""A standing rule for a file, which words from outside pause."""

from tests.e2e.steward import ShownMessage, Steward
from tests.words import ALWAYS, RULE_PAUSED


async def paused_by_a_search(steward: Steward) -> ShownMessage:
    """Makes a rule for `a.txt`, and returns the card of the write beside a search."""
    steward.say("write a")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("Allowed.")
    (steward.workspace / "a.txt").unlink()
    steward.say("when does the ferry leave? Then write a")
    card = await steward.card()
    assert RULE_PAUSED in card.text
    return card
