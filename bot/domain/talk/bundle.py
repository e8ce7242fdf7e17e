"""Puts fragments of one message together, in their order: an album, a long text, forwards."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from bot.domain.talk.limits import BundleBounds
from bot.domain.talk.message import Attachment, Cut, InboundMessage, Quote
from bot.domain.talk.web_address import links_in
from bot.domain.text.foreign_text import as_read, set_apart
from bot.domain.text.look_alikes import BLOCK
from bot.domain.text.names import plain_name, quoted_name
from bot.domain.value import frozen, replace

_SPAN = timedelta(seconds=2)
"""The longest gap between the fragments of one message; platforms tell whole seconds."""

_QUOTE = "a quote of "
_ENCLOSED = re.compile(
    rf"<document name=(['\"])(?P<old>.*?)\1 kind=|"
    rf'<{BLOCK} from="[^"\n]*"(?: name="(?P<name>[^"\n]*)")?'
)
"""The beginning of an enclosed text, as it is now and as older rows have it."""
_OLD_QUOTE = re.compile(r"\A<quote author=.*\n</quote>\s*", re.DOTALL)
_QUOTED = re.compile(rf'\A(?:<{BLOCK} from="{_QUOTE}[^\n]*>\n.*?\n</{BLOCK}>\s*)+', re.DOTALL)


@frozen
class Seam:
    """The end of a message, which shows if another message continues it.

    `sender` is an account (`channel:id`). `messages` and `characters` count the whole bundle.
    """

    sender: str
    number: int
    sent_at: datetime
    album: str = ""
    forwarded: bool = False
    bare: bool = True
    cut: Cut = Cut.NO
    messages: int = 1
    characters: int = 0

    @property
    def open(self) -> bool:
        """Returns true when more fragments probably follow, so that a short wait is right."""
        likely = bool(self.album) or self.forwarded or self.cut in (Cut.LIKELY, Cut.SHARP)
        return likely and self.number > 0


def seam_of(message: InboundMessage) -> Seam:
    return Seam(
        sender=message.sender.key,
        number=message.number,
        sent_at=message.sent_at,
        album=message.album,
        forwarded=message.forwarded_from is not None,
        bare=message.quote is None and not message.attachments,
        cut=message.cut,
        characters=len(message.text),
    )


def belong(one: Seam, other: Seam) -> bool:
    """Returns true when two neighbours of one sender are fragments of the same message."""
    first, second = sorted((one, other), key=lambda seam: seam.number)
    if first.sender != second.sender or not first.number:
        return False
    if first.album and first.album == second.album:
        return True
    if abs(second.sent_at - first.sent_at) > _SPAN:
        return False
    if first.forwarded or second.forwarded:
        return True
    return first.cut is not Cut.NO and second.bare


def own_words(text: str) -> str:
    """Returns a text without the quotes at its start, or the whole text when nothing is left.

    In the marks of older rows it cuts at the last one: a quoted text could hold a mark itself.
    """
    return _OLD_QUOTE.sub("", _QUOTED.sub("", text)) or text


def wish_in(text: str) -> str:
    """Returns the words of a person without quotes and enclosed documents.

    Where there are no words, it names the first document. Everything behind the first document is
    left out: its content could look like its own end.
    """
    words = own_words(text)
    enclosed = _ENCLOSED.search(words)
    if enclosed is None or words[: enclosed.start()].strip():
        return words[: enclosed.start() if enclosed else None].strip()
    return enclosed["old"] or enclosed["name"] or ""


LONGEST_WISH = 300
"""Characters of the beginning of what a person asks for."""


@frozen
class Bundle:
    """A message put together from its fragments, in their order.

    `more` is true when a bound cut it: the next bundle takes the fragments that are left.
    """

    messages: tuple[InboundMessage, ...]
    more: bool = False

    @property
    def first(self) -> InboundMessage:
        return self.messages[0]

    @property
    def words(self) -> str:
        """Returns what the person wrote, without what it came with."""
        return "\n".join(message.text for message in self.messages)

    @property
    def seam(self) -> Seam | None:
        """Returns the end at which it may continue; None when nothing may be added."""
        last = seam_of(self.messages[-1])
        if self.more or not last.number:
            return None
        characters = sum(len(message.text) for message in self.messages)
        return replace(last, messages=len(self.messages), characters=characters)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(one for message in self.messages for one in message.attachments)

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """Returns the quotes of the fragments, each once: an album repeats the same quote."""
        return tuple(dict.fromkeys(m.quote for m in self.messages if m.quote is not None))

    @property
    def passages(self) -> tuple[tuple[str | None, str], ...]:
        """Returns the texts, each with its source unless the sender typed it.

        Texts that an app cut are joined again.
        """
        found = [(m.writer, m.text) for m in self.messages[:1]]
        for before, message in pairwise(self.messages):
            source, text = found[-1]
            if source != message.writer:
                found.append((message.writer, message.text))
            elif before.cut is not Cut.NO:
                joint = "" if before.cut is Cut.SHARP else "\n"
                found[-1] = (source, f"{text}{joint}{message.text}")
            elif not text.strip() or not message.text.strip():
                # Pictures of one source need it told once.
                found[-1] = (source, text or message.text)
            else:
                found.append((message.writer, message.text))
        return tuple((s, text) for s, text in found if text.strip() or s is not None)

    @property
    def as_read(self) -> tuple[str, ...]:
        """Returns the quotes and texts as a model reads them, those of others set apart as data."""
        quotes = (
            set_apart(f"{_QUOTE}{plain_name(quote.author)}", quote.text) for quote in self.quotes
        )
        told = (as_read(text, source) for source, text in self.passages)
        return (*quotes, *told, *self._named)

    @property
    def _named(self) -> tuple[str, ...]:
        """Returns the list of the accounts that are mentioned: their names are nobody's words."""
        named = dict(one for message in self.messages for one in message.named)
        lines = "\n".join(f"@{number} is {quoted_name(name)}" for number, name in named.items())
        return (set_apart(NAMES, lines),) if lines else ()

    @property
    def own_addresses(self) -> tuple[str, ...]:
        """Returns the addresses of the web that the sender typed, each as a link has it."""
        return links_in(*(text for source, text in self.passages if source is None))

    @property
    def wish(self) -> str:
        """Returns the beginning of the sender's own words; of a mere forward, who wrote it."""
        own = (text.strip() for source, text in self.passages if source is None)
        words = " ".join(filter(None, own))
        named = (m.untrusted for m in self.messages if m.forwarded_from is not None)
        return (words or next(named, None) or "")[:LONGEST_WISH]

    @property
    def untrusted(self) -> str | None:
        """Returns the sources of foreign content, None when the sender wrote it all."""
        sources = dict.fromkeys(m.untrusted for m in self.messages if m.untrusted is not None)
        named = "; ".join(list(sources)[:_NAMED])
        return (named + (" and others" if len(sources) > _NAMED else "")) or None


_NAMED = 3
NAMES = "the names of mentioned accounts"
"""The source of their list; a name marks nothing as foreign, as that of a speaker does not."""


def bundle(messages: Sequence[InboundMessage], bounds: BundleBounds) -> Bundle:
    """Returns the first message to arrive with the neighbours it belongs to, in any order."""
    ordered = sorted(messages, key=lambda message: message.number)
    at = ordered.index(messages[0])
    start = at
    while start > 0 and belong(seam_of(ordered[start - 1]), seam_of(ordered[start])):
        start -= 1
    kept, characters = [ordered[start]], len(ordered[start].text)
    for before, message in pairwise(ordered[start:]):
        if not belong(seam_of(before), seam_of(message)):
            break
        characters += len(message.text)
        if len(kept) == bounds.messages or characters > bounds.characters:
            return Bundle(tuple(kept), more=True)
        kept.append(message)
    return Bundle(tuple(kept))


def fits(seam: Seam, more: Bundle, bounds: BundleBounds) -> bool:
    """Returns true when a late bundle may be added to a message that ends here."""
    characters = seam.characters + sum(len(message.text) for message in more.messages)
    return seam.messages + len(more.messages) <= bounds.messages and characters <= bounds.characters


def continued(before: Seam | None, seam: Seam | None) -> Seam | None:
    """Returns the end of a message after an addition, with all its fragments counted."""
    if before is None or seam is None:
        return seam
    last = max(before, seam, key=lambda one: one.number)
    return replace(
        last,
        messages=before.messages + seam.messages,
        characters=before.characters + seam.characters,
    )
