"""The rows of a chat as a page names and shows them: addresses, places, versions, files."""

from pathlib import Path

from bot.adapters.sql.page_rows import Took
from bot.adapters.web.shown import ShownFile
from bot.adapters.web.update import ON_THE_PAGE
from bot.domain.change.erasing import ECHOES
from bot.domain.clock.span import figure
from bot.domain.money.money import told_sum
from bot.domain.talk.chat import ListedConversation
from bot.domain.talk.message import VANISHING, Address, Attachment, FileRef
from bot.domain.talk.session import PAGE
from bot.domain.text.visible_text import size
from bot.ports.outbox import DeliveryState, OutboxRow

_SLASH = "~"
_GONE = "kept no longer"
_LONGEST_TITLE = 80
_KINDS = {"photo": "picture", "voice": "voice message", "video": "video"}
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


def version_of(row: OutboxRow) -> int:
    """Returns the version of a message that pages show; 0 for one that they do not show.

    What is stored for the page is on it. Elsewhere a message stands once its platform has it: so
    both have one order, and a card is pressed only where it is shown whole.
    """
    if row.content.kind in VANISHING or row.key.startswith(ECHOES):
        return 0
    if row.state is DeliveryState.DEAD:
        return 0
    if row.address.channel == PAGE:
        return row.version
    there = bool(row.message_ids) and row.shown_version == row.version
    return row.shown_version if there else 0


def figures_of(took: Took | None) -> str:
    """Returns the time, the tokens and the cost of an answer; nothing where none is known."""
    if took is None:
        return ""
    about = "≈ " if took.estimated else ""
    tokens = f"{about}{took.tokens:,} token{'' if took.tokens == 1 else 's'}" if took.tokens else ""
    cost = told_sum([took.cost], estimated=took.estimated)
    return " · ".join(one for one in (figure(took.worked_ms / 1_000), tokens, cost) if one)


def key_of(address: Address) -> str:
    """Returns the name of a chat in addresses of the page, where a slash parts other things."""
    return address.key.replace("/", _SLASH)


def address_of(key: str) -> Address:
    """Returns the chat that such a name means."""
    return Address.from_key(key.replace(_SLASH, "/"))


def place_of(address: Address) -> str:
    """Returns the platform of a chat as people read it; empty for the page itself."""
    return "" if address.channel == PAGE else address.channel.capitalize()


def title_of(talk: ListedConversation) -> str:
    """Returns the title of a conversation, or its first words; those of a branch are marked."""
    if talk.conversation.title:
        return talk.conversation.title
    begun = " ".join(talk.begins.split())[:_LONGEST_TITLE]
    return f"↳ {begun}" if begun and talk.conversation.parent is not None else begun


def where_of(channel: str, home: str, *, edited: bool) -> str:
    if edited:
        return "changed"
    if channel == PAGE:
        return "" if home == PAGE else ON_THE_PAGE
    return "in the terminal" if channel == "terminal" else f"on {channel.capitalize()}"


def sent_file(row: int, number: int, file: Attachment, place: Path | None) -> ShownFile:
    """Returns a file that the person sent, with the place where the page keeps it."""
    kind = _KINDS.get(file.kind, "file")
    told = kind if file.kept_by != PAGE else _GONE if place is None else size(file.size or 0)
    href = f"/sent/{row}/{number}" if place else ""
    picture = file.kind == "photo"
    return ShownFile(file.name or kind, told, href, picture, outside=not file.recorded)


def file_of(row: int, number: int, file: FileRef) -> ShownFile:
    there = file.text is not None or Path(file.path).is_file()
    picture = file.name.lower().endswith(_PICTURES) and file.text is None
    href = f"/file/{row}/{number}" if there else ""
    return ShownFile(file.name, file.caption if there else _GONE, href, picture)
