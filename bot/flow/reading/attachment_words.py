"""Attachments in the words that a model reads: what each says, and where it is kept."""

import re
import secrets
from collections.abc import Sequence

from bot.domain.change import AddArtifact
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Attachment
from bot.domain.talk.received import INBOX, ReceivedFile
from bot.domain.text.foreign_text import defused, set_apart
from bot.domain.text.look_alikes import BLOCK
from bot.domain.text.names import cited_name, quoted_name
from bot.domain.text.visible_text import size
from bot.domain.turn.transcript import ImagePart
from bot.domain.value import frozen
from bot.flow.reading.kept_files import Parcel
from bot.ports.attachments import DocumentText, NotRead, Reading, Spoken, Unheard

_UNREAD = {
    "photo": "a photo",
    "document": "a document",
    "voice": "a voice message",
    "video": "a video",
    "other": "an attachment",
}


@frozen
class Enclosed:
    """Attachments as the model sees them: `words`, in order, and `pictures`.

    `wholes` are the full texts of documents that `words` shows only in part; they are stored with
    the entry. `unkept` tells the person which files found no place in the workspace.
    """

    words: tuple[str, ...] = ()
    pictures: tuple[ImagePart, ...] = ()
    wholes: tuple[AddArtifact, ...] = ()
    unkept: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()
    """The words of voice messages, so that people see how they were heard."""
    unheard: tuple[str, ...] = ()
    """Lines about voice messages that could not be heard, for the person."""
    said: tuple[str, ...] = ()
    """The words of the person's own voice messages, of all that was heard."""


@frozen
class Enclosure:
    """An attachment of the message itself or of a message that it quotes."""

    parcel: Parcel
    quoted: bool
    foreign: bool = True
    """False for the sender's own voice, as their app recorded it for the chat."""

    @property
    def attachment(self) -> Attachment:
        return self.parcel.attachment

    @property
    def named(self) -> str:
        return f"{self.source}, {cited_name(defused(self.attachment.name))},"

    @property
    def source(self) -> str:
        """Returns the kind of the attachment, and that a quoted message holds it."""
        place = " of the quoted message" if self.quoted else ""
        return f"{_UNREAD[self.attachment.kind]}{place}"


@frozen
class FoundFile:
    """An attachment with its reading, and the place where it is kept, or why it is not."""

    enclosure: Enclosure
    reading: Reading | Spoken | Unheard
    kept: ReceivedFile | str | None = None

    @property
    def place(self) -> str:
        """Returns the end of a sentence about the place of the file."""
        if isinstance(self.kept, ReceivedFile):
            return f"; it is kept as {self.kept.path}, {size(self.kept.size)}"
        return f"; it is not kept as a file: {self.kept}" if self.kept else ""


def enclosed(found: Sequence[FoundFile], chat: int, limits: Limits) -> Enclosed:
    """Returns the attachments as the model sees them."""
    words: list[str] = []
    pictures: list[ImagePart] = []
    wholes: list[AddArtifact] = []
    heard: list[str] = []
    said: list[str] = []
    unheard: list[str] = []
    room = limits.round_bytes
    for one in found:
        named = one.enclosure.named
        match one.reading:
            case ImagePart():
                pictures.append(one.reading)
                words.append(f"[{named} came along{one.place}]")
            case Spoken(text):
                heard.append(text)
                said += [] if one.enclosure.foreign else [text]
                words.append(_voice(one, text))
            case Unheard(why, cure):
                words.append(f"[{named} could not be heard: {why}{one.place}]")
                unheard.append(f"🎤 I could not hear {_called(one.enclosure)}: {why}. {cure}")
            case NotRead(why):
                words.append(f"[{named} {why}{one.place}]")
            case DocumentText() as document:
                text, whole = _fitted(document, min(limits.result_bytes, room), chat)
                room = max(0, room - len(text.encode()))
                words.append(_document(one, document.kind, text))
                wholes.extend(whole)
    return Enclosed(
        tuple(words),
        tuple(pictures),
        tuple(wholes),
        _unkept(found),
        tuple(heard),
        tuple(unheard),
        tuple(said),
    )


def _called(one: Enclosure) -> str:
    return quoted_name(one.attachment.name) if one.foreign else "your voice message"


def _unkept(found: Sequence[FoundFile]) -> tuple[str, ...]:
    """Returns a sentence for the person about each reason why files are not kept."""
    reasons: dict[str, list[str]] = {}
    for one in found:
        if isinstance(one.kept, str):
            reasons.setdefault(one.kept, []).append(one.enclosure.attachment.name)
    return tuple(
        f"I could not keep {_listed(names)} as a file: {why}. "
        f"Free some room in `{INBOX}/` and send it again if I should work with the file."
        for why, names in reasons.items()
    )


def _listed(names: list[str]) -> str:
    first = quoted_name(names[0])
    return first if len(names) == 1 else f"{first} and {len(names) - 1} more"


def _fitted(reading: DocumentText, room: int, chat: int) -> tuple[str, tuple[AddArtifact, ...]]:
    """Returns the text with its note, cut to `room` bytes, and the full text if it was cut."""
    note = f"\n[{reading.note}]" if reading.note else ""
    encoded = reading.text.encode()
    if len(encoded) <= room:
        return reading.text + note, ()
    name = f"document-{secrets.token_hex(8)}"
    shown = encoded[:room].decode(errors="ignore")
    cut = (
        f"\n[… {len(encoded) - room} of {len(encoded)} bytes left out; "
        f"read_file artifact:{name} has the whole …]"
    )
    return shown + cut + note, (AddArtifact(name, chat, reading.text),)


def _voice(found: FoundFile, text: str) -> str:
    """Returns heard words: the sender's own as they are, those of others set apart as data."""
    one = found.enclosure
    if not one.foreign:
        return f"[{one.named} was heard{found.place}; it says:]\n{text}"
    return set_apart(one.source, text, name=one.attachment.name)


def _document(found: FoundFile, kind: str, text: str) -> str:
    if isinstance(found.kept, ReceivedFile):
        place = {"file": found.kept.path, "size": size(found.kept.size)}
    else:
        place = {"not_kept": found.kept or ""}
    one = found.enclosure
    return set_apart(one.source, text, name=one.attachment.name, kind=kind, **place)


_KINDS = "|".join(map(re.escape, _UNREAD.values()))
_FILE_LINE = rf"^\[(?:{_KINDS})(?: of the quoted message)?, [^\n]*\]$"
_FILE = re.compile(_FILE_LINE, re.MULTILINE)
_FOREIGN = re.compile(
    rf'^<{BLOCK} from="[^\n]*>\n.*?\n</{BLOCK}>$|{_FILE_LINE}', re.DOTALL | re.MULTILINE
)
"""A text that was set apart, or the line about a file, as they stand in a message."""

_BLOCK_END = re.compile(rf"\n</{BLOCK}>$", re.MULTILINE)


def told_apart(text: str) -> tuple[str, str]:
    """Returns the own words of a message, and what came from others and from files beside them.

    Behind the last end no text set apart is looked for, or each begin would be read to the end.
    """
    end = max((found.end() for found in _BLOCK_END.finditer(text)), default=0)
    parts = ((_FOREIGN, text[:end]), (_FILE, text[end:]))
    own = (part.strip() for kind, among in parts for part in kind.split(among))
    foreign = (found for kind, among in parts for found in kind.findall(among))
    return "\n\n".join(filter(None, own)), "\n\n".join(foreign)
