"""The part that every page of a signed-in person has: its head, and what its forms carry."""

from typing import Literal, TypeAlias

from bot.domain.value import frozen

Here: TypeAlias = Literal["chat", "cards", "now", "more"]
"""The part of the page that a person is in, as its navigation names it."""


@frozen
class Frame:
    """The title, the place and the person of a page."""

    title: str
    here: Here
    waiting: int
    """The number of open cards that this person may decide."""
    person: str
    """The name of the person who is signed in."""
    csrf: str
    """The token that every form sends back in its field of this name."""
    owner: bool
    """True for an owner, who sees more pages."""
