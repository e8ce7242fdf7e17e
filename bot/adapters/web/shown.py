"""The values that templates show: chats, messages, files and sessions.

Every text in them was written by a person, a model, a file or a tool, and is escaped on its way.
"""

from datetime import datetime
from typing import Literal

from bot.domain.talk.message import Outbound
from bot.domain.value import frozen
from bot.ports.turn_page import Reason


@frozen
class ListedChat:
    """A conversation in the list."""

    key: str
    """Names it in addresses, not yet quoted: `web:5/k3j2` or `telegram:7`."""
    title: str
    place: str
    """The platform that it is on, as people read it; empty for one of this page."""
    at: datetime | None = None
    """The time of its newest message."""
    waiting: int = 0
    """The number of its open cards and plans."""
    current: bool = False
    """True for the one that is shown."""
    skill: str = ""
    """The skill that is on there; empty for none."""


@frozen
class OpenableTalk:
    """A conversation of the same chat, which a command opens again."""

    id: str
    title: str
    current: bool
    """True for the one that goes on now."""


@frozen
class ShownChat:
    """The conversation that is shown."""

    key: str
    title: str
    place: str
    model: str
    """The model that answers here."""
    folder: str
    """The folder that it works in."""


@frozen
class ShownFile:
    """A file of a message, served as an attachment."""

    name: str
    detail: str = ""
    """Its size or kind in a few words."""
    href: str = ""
    """The address at which it is fetched; empty when it is kept no longer."""
    picture: bool = False
    """True for a picture, which is shown in place with `?show=1` behind its address."""
    outside: bool = False
    """True for a file that somebody sent."""


@frozen
class ShownMessage:
    """One message of a conversation: the person's own words, or what Steward shows."""

    id: str
    """Names the element `m-<id>`: a row, `i41` of the inbox or `o97` of the outbox."""
    version: int
    own: bool
    """True for what the person wrote."""
    name: str
    """The person's name, or Steward."""
    at: datetime
    """In the zone of the person."""
    once: str
    """The name under which this rendering sends a press or words: sent twice they count once."""
    where: str = ""
    """The place where the person wrote it, as in “on Telegram”; empty on this page."""
    text: str = ""
    """The person's words."""
    files: tuple[ShownFile, ...] = ()
    outside: str = ""
    """The source of words that the person did not write, a forward for instance."""
    content: Outbound | None = None
    """The content of a message of Steward."""
    turn: str = ""
    """The turn behind an answer, for “Why this answer”; empty where there is none."""
    figures: str = ""
    """The time, the tokens and the cost of an answer."""
    reasons: tuple[Reason, ...] = ()
    """The reasons why an open card asks."""
    until: datetime | None = None
    """The end of an open card, after which it does not run; None for one without an end."""
    decided_by: str = ""
    """The person who decided a card, or “you”; empty for an open one and where nobody did."""
    decided_at: datetime | None = None
    press: bool = False
    """True for a message whose buttons this person may press now."""
    anew: bool = True
    """False for an answer that no button makes anew or branches now: a plan is open."""
    cut_off: bool = False
    """True for an answer that was asked for again, since the program had stopped meanwhile."""
    editable: bool = False
    """True for own words that can still be changed or asked again."""
    state: Literal["", "waiting"] = ""
    """Tells that the person's words wait for their turn."""


@frozen
class ShownSession:
    """A browser that is signed in."""

    id: str
    name: str
    """The browser, as it called itself."""
    since: datetime
    seen: datetime
    here: bool
    """True for the one that asks."""
