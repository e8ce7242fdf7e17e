"""The view of a round beside the log: each part, each cut, and the reason."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import clipped, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.turn.transcript import (
    CallPart,
    CutBody,
    Entry,
    ForeignPart,
    ReplyBody,
    SummaryBody,
    TextPart,
    ThinkingPart,
    uncovered,
)
from bot.domain.value import frozen
from bot.flow.explaining.story import ToldRound, TurnStory
from bot.flow.inspection.entry_words import entry_item, words_of
from bot.ports.records import TurnLog
from bot.ports.turn_page import RoundView, TurnLook, ViewItem

_MOST = 40
"""Parts of a view or of the log that a page shows."""

_LONGEST = 1_500
_A_TOKEN = 4
"""Characters of a token, about."""


@frozen
class Lens:
    """The story of a turn, its conversation, and what hides secrets."""

    story: TurnStory
    log: TurnLog
    conceal: Conceal

    def shown(self, text: str, longest: int = _LONGEST) -> str:
        """Returns a text of somebody as a page may show it: plain, visible, bounded."""
        return visible(clipped(self.conceal(text[: 4 * longest]), longest))


def round_view(lens: Lens, look: TurnLook) -> RoundView | None:
    """Returns the chosen part of a round; None for a turn that asked no model."""
    rounds = lens.story.rounds
    if not rounds:
        return None
    number = look.round if 1 <= look.round <= len(rounds) else _most_happened(rounds)
    one = rounds[number - 1]
    before = [entry for entry in lens.log.entries if entry.seq < one.seq]
    gone = tuple(_gone(lens, before, _masks(lens, number)))
    earlier, items = "", tuple[ViewItem, ...]()
    match look.part:
        case "request":
            items = (*_request(lens, one, before, gone),)
        case "differences":
            items = gone[-_MOST:]
        case "reply":
            items = (*_reply(lens, one.reply),)
        case "log":
            items, earlier = _log(lens, before, look.before)
    return RoundView(number, look.part, items, len(gone), earlier)


def _most_happened(rounds: Sequence[ToldRound]) -> int:
    """Returns the number of the round with a card, or else with most calls; the first of equals."""
    weight = [(any(c.card for c in one.calls), len(one.calls)) for one in rounds]
    return weight.index(max(weight)) + 1


def _masks(lens: Lens, number: int) -> Sequence[Mapping[str, Any]]:
    """Returns what the builder of the view changed in this round, as it was put on record."""
    for record in lens.story.record.rounds:
        if record.round == number:
            found: Sequence[Mapping[str, Any]] = record.details.get("masked", ())
            return found
    return ()


def _gone(
    lens: Lens, before: Sequence[Entry], masks: Sequence[Mapping[str, Any]]
) -> Iterator[ViewItem]:
    """Yields each cut and each mask: what it was, what took its place, and why."""
    seen = list(uncovered(reversed(before)))
    summary = next((e.body for e in seen if isinstance(e.body, SummaryBody)), None)
    if summary is not None:
        covered = [entry for entry in before if entry.seq <= summary.covers]
        size = sum(len(words_of(entry.body)) for entry in covered)
        told = "A summary takes their place, since the view was nearly full. The log keeps them."
        name = f"Cut: entries {covered[0].seq}–{covered[-1].seq}" if covered else "Cut"
        whole = "\n\n".join(lens.shown(words_of(e.body), 300) for e in covered[-_MOST:])
        yield _difference(name, told, (size, len(summary.text)), whole, lens.shown(summary.text))
    taken = {turn for e in before if isinstance(e.body, CutBody) for turn in e.body.without}
    if taken:
        told = "Somebody took them back, so no later answer sees them. The log keeps them."
        yield ViewItem(f"Left out: {len(taken)} messages with their answers", told, kind="gone")
    by_seq = {entry.seq: entry for entry in before}
    for mask in masks:
        yield _mask(lens, mask, by_seq.get(int(mask.get("seq", 0))))


def _mask(lens: Lens, mask: Mapping[str, Any], entry: Entry | None) -> ViewItem:
    sizes = int(mask.get("before", 0)), int(mask.get("after", 0))
    reason, role = str(mask.get("reason", "")), str(mask.get("role", ""))
    of = {"assistant": "a reply", "tool": "a result", "user": "a message"}.get(role, "an entry")
    seq = entry.seq if entry is not None else int(mask.get("seq", 0))
    text = words_of(entry.body) if entry is not None else ""
    # Of a text that was shortened the beginning stayed; what else was masked begins otherwise.
    kept = mask.get("budget")
    after = lens.shown(text[: int(kept)]) if kept else ""
    whole = lens.shown(text)
    return _difference(f"Masked: {of}, entry {seq}", reason, sizes, whole, after)


def _difference(title: str, told: str, sizes: tuple[int, int], before: str, after: str) -> ViewItem:
    size = " → ".join(f"{count // _A_TOKEN:,}" for count in sizes)
    return ViewItem(title, told, "", size, "gone", before, after)


def _request(
    lens: Lens, one: ToldRound, before: Sequence[Entry], gone: Sequence[ViewItem]
) -> Iterator[ViewItem]:
    """Yields what the model read, in its order; the first parts came from the cache."""
    seen = [e for e in list(uncovered(reversed(before)))[::-1] if words_of(e.body)]
    usage = one.reply.usage
    counted = sum(len(words_of(entry.body)) // _A_TOKEN for entry in seen)
    system = max(usage.prompt - counted, 0)
    read, cached = system, usage.cache_read
    first = "System text and tools"
    if not lens.log.whole and not any(isinstance(e.body, SummaryBody) for e in seen):
        first = f"{first}, and entries before number {seen[0].seq}" if seen else first
    yield ViewItem(first, "", _fresh(read, cached), f"≈ {system:,}" if usage.prompt else "not told")
    yield from gone[-_MOST:]
    left_out = len(seen) - _MOST
    for place, entry in enumerate(seen):
        size = len(words_of(entry.body)) // _A_TOKEN
        read += size
        if place < left_out:
            continue
        if place == left_out:
            yield ViewItem(f"{left_out} earlier entries", "", _fresh(read, cached))
        yield entry_item(entry, lens.shown, lens.story.turn.asker, _fresh(read, cached), size)


def _fresh(read: int, cached: int) -> str:
    """Returns if a part came from the cache: providers tell only how much of the front did."""
    return "from cache" if cached and read <= cached else "new"


def _reply(lens: Lens, reply: ReplyBody) -> Iterator[ViewItem]:
    for part in reply.parts:
        match part:
            case TextPart(text=text):
                yield ViewItem("Text", lens.shown(text), "", f"{len(text) // _A_TOKEN:,}")
            case ThinkingPart():
                yield ViewItem("Thinking", "Sealed by the provider; nobody reads it here.")
            case CallPart(call=call):
                told = lens.shown(call.arguments_text or "{}")
                yield ViewItem(f"Call: {plain_name(call.name)}", told)
            case ForeignPart(untrusted=source):
                kind = "outside" if source else "plain"
                yield ViewItem("Looked up by the provider", lens.shown(part.text), kind=kind)
    model = f"{reply.provenance.provider}/{reply.provenance.answered_model}"
    yield ViewItem("Ended", f"{reply.finish.value}, by {model}")


def _log(
    lens: Lens, before: Sequence[Entry], until: int | None
) -> tuple[tuple[ViewItem, ...], str]:
    """Returns the entries as they lie in the log, and the number below which there are more."""
    known = (*lens.log.older, *before)
    found = [entry for entry in known if until is None or entry.seq < until]
    part = found[-_MOST:]
    items = tuple(
        entry_item(entry, lens.shown, None, "", len(words_of(entry.body)) // _A_TOKEN)
        for entry in part
    )
    more = len(found) > len(part) or (bool(part) and not lens.log.whole and not lens.log.older)
    return items, str(part[0].seq) if more else ""
