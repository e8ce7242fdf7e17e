"""The sentences, pages and keys that a page offers: what to try first, and what each key does."""

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

_PLACES = (
    ("/chats", "Conversations", "all of them, also those of other channels"),
    ("/cards", "Cards", "every question that waits for your decision"),
    ("/now", "Now", "what runs, what waits, what is due"),
    ("/search", "Search", "in your conversations, by titles and words"),
    ("/memory", "Memory", "my notes about you, and why an answer is recalled"),
    ("/skills", "Skills", "instructions for kinds of work, and where they are on"),
    ("/servers", "Tool servers", "what they lend, and what is wrong with one"),
    ("/money", "Money", "what calls have cost, by days, models, people"),
    ("/rules", "Rules", "what may run without a card, and how to take it back"),
    ("/settings", "Settings", "the switches of your chats"),
    ("/sessions", "Browsers", "where you are signed in, and how to end it"),
)
_OF_OWNERS = (
    ("/people", "People", "who can use Steward, and what each may do"),
    ("/record", "Record", "who did what, and what came of it"),
    ("/doctor", "Doctor", "what works, what does not, and what helps"),
)

_KEYS = (
    (("/",), "find a conversation or a page, or run a command"),
    (("Shift N",), "new conversation"),
    (("g", "c"), "to the chat"),
    (("g", "k"), "to the cards"),
    (("g", "n"), "to what happens now"),
    (("j", "k"), "next, previous card or message"),
    (("y",), "approve the card in focus"),
    (("n",), "deny it, or cancel the plan"),
    (("c",), "say what should be different"),
    (("w",), "always allow this"),
    (("s",), "stop the work, or the plan"),
    (("r",), "try the step of the plan again, or resume the plan"),
    (("x",), "skip the step of the plan"),
    (("Enter",), "sends; Shift Enter begins a new line"),
    (("↑",), "in an empty field: edit your last message"),
    (("Esc",), "stops the answer, closes the list of commands"),
    (("?",), "this list"),
)


def tries(*, demo: bool) -> Sequence[tuple[str, str]]:
    """Returns what a person may say first, and what each shows; the demo knows words of its own."""
    return _TRIES_OF_DEMO if demo else _TRIES


def places(*, owner: bool, words: str = "") -> Sequence[tuple[str, str, str]]:
    """Returns the address, the name and a description of each page that has all these words."""
    wanted = words.casefold().split()
    every = (*_PLACES, *(_OF_OWNERS if owner else ()))
    return [one for one in every if all(word in f"{one[1]} {one[2]}".casefold() for word in wanted)]


def keys() -> Sequence[tuple[Sequence[str], str]]:
    """Returns the keys of the page, and what each does."""
    return _KEYS
