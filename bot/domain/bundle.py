"""Messages that were sent as one and came in fragments: an album, a long text, forwards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from bot.domain.budget import BundleBounds
from bot.domain.message import Attachment, Cut, InboundMessage, Quote

_SPAN = timedelta(seconds=2)
"""How far apart an app sends the fragments of one message; platforms tell whole seconds."""

_QUOTED = re.compile(r"\A<quote author=.*\n</quote>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Seam:
    """The end of a message, by which it is known whether another one goes on there.

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
        """Whether more is to be expected, so that waiting a moment is right."""
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
    """Whether two neighbours of one sender are fragments of the same message."""
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


def set_apart(quote: Quote) -> str:
    """What somebody quotes, marked as words that are not their own."""
    return f"<quote author={quote.author!r}>\n{quote.text}\n</quote>"


def own_words(text: str) -> str:
    """What somebody said besides what they quoted; all of it when that is nothing.

    Up to the last mark: a quoted text may hold one itself, and is never taken for their words.
    """
    return _QUOTED.sub("", text) or text


@dataclass(frozen=True, slots=True)
class Bundle:
    """A message as it was meant, its fragments in their order.

    `more` when it was bounded: fragments that belong to it are left over for the next one.
    """

    messages: tuple[InboundMessage, ...]
    more: bool = False

    @property
    def first(self) -> InboundMessage:
        return self.messages[0]

    @property
    def seam(self) -> Seam | None:
        """Where it may go on; None when nothing may be added to it."""
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
        """What the fragments quote, each once: all of an album answer the same message."""
        return tuple(dict.fromkeys(m.quote for m in self.messages if m.quote is not None))

    @property
    def passages(self) -> tuple[tuple[str | None, str], ...]:
        """The words with the source they were forwarded from; what was cut is whole again."""
        found = [(m.forwarded_from, m.text) for m in self.messages[:1]]
        for before, message in pairwise(self.messages):
            source, text = found[-1]
            if source != message.forwarded_from:
                found.append((message.forwarded_from, message.text))
            elif before.cut is not Cut.NO:
                joint = "" if before.cut is Cut.SHARP else "\n"
                found[-1] = (source, f"{text}{joint}{message.text}")
            elif not text.strip() or not message.text.strip():
                # Pictures of one source need it told once.
                found[-1] = (source, text or message.text)
            else:
                found.append((message.forwarded_from, message.text))
        return tuple((s, text) for s, text in found if text.strip() or s is not None)

    @property
    def untrusted(self) -> str | None:
        """The sources of foreign content, or None when all of it is the sender's."""
        sources = dict.fromkeys(m.untrusted for m in self.messages if m.untrusted is not None)
        named = "; ".join(list(sources)[:_NAMED])
        return (named + (" and others" if len(sources) > _NAMED else "")) or None


_NAMED = 3


def bundle(messages: Sequence[InboundMessage], bounds: BundleBounds) -> Bundle:
    """The first to come with the neighbours it belongs to, whatever order they came in."""
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
    """Whether a late bundle may be added to a message that ends here."""
    characters = seam.characters + sum(len(message.text) for message in more.messages)
    return seam.messages + len(more.messages) <= bounds.messages and characters <= bounds.characters


def continued(before: Seam | None, seam: Seam | None) -> Seam | None:
    """Where a message ends that was added to: at its last fragment, with all of them counted."""
    if before is None or seam is None:
        return seam
    last = max(before, seam, key=lambda one: one.number)
    return replace(
        last,
        messages=before.messages + seam.messages,
        characters=before.characters + seam.characters,
    )
