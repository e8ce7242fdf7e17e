"""Sentences for what a page refuses: what happened, and what a person can do about it."""

from http import HTTPStatus

AWAY = (
    "Steward cannot read its database just now. Nothing was done. Load the page again in a moment."
)
MISSING = "There is no such page here, or it is not yours to see."
BROKEN = (
    "Steward made a mistake, so this may not be done. Load the page again, and look. The log of "
    "the program tells more."
)
BESIDE = "Nothing was done. Open this page at the address of its proxy."
ELSEWHERE = "Nothing was done: this page has another address. `steward login` prints it."
FOREIGN = "Another site asked for this, and nothing was done. Open the page itself."
NOT_MADE_FOR = "Nothing was done: this address is not made for that. Use the buttons of the page."
STRANGER = "Nothing was done: you are not signed in. Open the page to sign in."
_OTHER = "This did not work, and nothing was done. Load the page again, and repeat it."
_TOLD = {
    404: MISSING,
    405: NOT_MADE_FOR,
    413: "That is too large. Nothing was done. Send less at once.",
    429: "Too much came at once. Nothing was done. Wait a moment, then repeat it.",
    500: BROKEN,
    503: AWAY,
}


def sentence_of(status: int, detail: str) -> str:
    """Returns the words of a refusal; those that name a status alone are replaced."""
    return _TOLD.get(status, _OTHER) if detail == HTTPStatus(status).phrase else detail
