"""The sentences and keys that a page offers: what to try first, and what each key does."""

from collections.abc import Sequence

_TRIES = (
    ("Write a shopping list into shopping.md", "shows a card"),
    ("/plan make a folder for each month of this year", "shows a plan"),
    ("Make minutes: Ann and Bob met, Bob ships on Friday", "uses a skill"),
    ("Remind me of the tea in 20 minutes", "makes a task"),
    ("/why", "tells why the answer is as it is"),
)
_TRIES_OF_DEMO = (
    ("Write a note", "shows a card"),
    ("/plan make a report", "shows a plan"),
    ("Make minutes of my meeting notes", "uses skills"),
    ("Remind me of the tea in 20 minutes", "makes a task"),
    ("/why", "tells why the answer is as it is"),
)

_KEYS = (
    (("/",), "find or run a command"),
    (("Shift N",), "new conversation"),
    (("g", "c"), "to the chat"),
    (("g", "k"), "to the cards"),
    (("g", "n"), "to what happens now"),
    (("j", "k"), "next, previous card or message"),
    (("y",), "approve the card in focus"),
    (("n",), "deny it"),
    (("c",), "say what should be different"),
    (("w",), "always allow this"),
    (("s",), "stop the work"),
    (("Enter",), "sends; Shift Enter begins a new line"),
    (("↑",), "in an empty field: edit your last message"),
    (("Esc",), "stops the answer, closes the list of commands"),
    (("?",), "this list"),
)


def tries(*, demo: bool) -> Sequence[tuple[str, str]]:
    """Returns what a person may say first, and what each shows; the demo knows words of its own."""
    return _TRIES_OF_DEMO if demo else _TRIES


def keys() -> Sequence[tuple[Sequence[str], str]]:
    """Returns the keys of the page, and what each does."""
    return _KEYS
