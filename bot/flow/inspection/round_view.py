"""The view of a round beside the log: each part, each cut, and the reason."""

import json
from collections.abc import Iterator, Mapping, Sequence, Set
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
from bot.flow.commanding.wording import counted
from bot.flow.explaining.story import ToldRound, TurnStory
from bot.flow.inspection.entry_words import entry_items, title_of, words_of
from bot.flow.models.preamble import Preamble
from bot.ports.records import TurnLog
from bot.ports.turn_page import RoundView, TurnLook, ViewItem

_MOST = 40
"""Parts of a view or of the log that a page shows."""

_LONGEST = 1_500
_LONGEST_STATIC = 60_000
_CHANGED = "This text is not kept: the program, its skills or its servers have changed since."
_SUMMED = "Not given: the summary stands in its place."
_TAKEN_BACK = "Not given: somebody took it back."
_A_TOKEN = 4
"""Characters of a token, about."""


@frozen
class Lens:
    """The story of a turn, its conversation, and what hides secrets."""

    story: TurnStory
    log: TurnLog
    conceal: Conceal
    static: Preamble | None = None
    """The system text and the tools of the chosen round; None where they are not known any more."""

    def shown(self, text: str, longest: int = _LONGEST, kept: int | None = None) -> str:
        """Returns a text of somebody as a page may show it: plain, visible, bounded.

        Of one that was shortened, it is the `kept` characters; secrets are hidden before the cut.
        """
        return visible(clipped(self.conceal(text[: 4 * longest])[:kept], longest))


def round_view(lens: Lens, look: TurnLook) -> RoundView | None:
    """Returns the chosen part of a round; None for a turn that asked no model."""
    rounds = lens.story.rounds
    one = chosen(rounds, look)
    if one is None:
        return None
    number = rounds.index(one) + 1
    before = [entry for entry in lens.log.entries if entry.seq < one.seq]
    masks = _masks(lens, number)
    gone = tuple(_gone(lens, before, masks))
    earlier, items = "", tuple[ViewItem, ...]()
    match look.part:
        case "request":
            items = (*_request(lens, one, before, gone),)
        case "beside":
            items, earlier = _beside(lens, one, before, masks, look.before)
        case "differences":
            items = gone[-_MOST:]
        case "reply":
            items = (*_reply(lens, one.reply),)
        case "log":
            items, earlier = _log(lens, before, look.before)
    return RoundView(number, look.part, items, len(gone), earlier)


def chosen(rounds: Sequence[ToldRound], look: TurnLook) -> ToldRound | None:
    """Returns the round that a person looks at; None where no model was asked."""
    if not rounds:
        return None
    return rounds[(look.round if 1 <= look.round <= len(rounds) else _most_happened(rounds)) - 1]


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
        told = "Somebody took this back, so no later answer sees it. The log keeps it."
        left_out = counted(len(taken), "message")
        whose = "its answer" if len(taken) == 1 else "their answers"
        yield ViewItem(f"Left out: {left_out} with {whose}", told, kind="gone")
    by_seq = {entry.seq: entry for entry in before}
    for mask in masks:
        yield _mask(lens, mask, by_seq.get(int(mask.get("seq", 0))))


def _mask(lens: Lens, mask: Mapping[str, Any], entry: Entry | None) -> ViewItem:
    sizes = int(mask.get("before", 0)), int(mask.get("after", 0))
    reason, role = str(mask.get("reason", "")), str(mask.get("role", ""))
    of = {"assistant": "a reply", "tool": "a result", "user": "a message"}.get(role, "an entry")
    seq = entry.seq if entry is not None else int(mask.get("seq", 0))
    text = words_of(entry.body) if entry is not None else ""
    whole, after = lens.shown(text), _kept(lens, text, mask)
    return _difference(f"Masked: {of}, entry {seq}", reason, sizes, whole, after)


def _kept(lens: Lens, text: str, mask: Mapping[str, Any]) -> str:
    """Returns what a masked text became: of one that was shortened the beginning stayed."""
    return lens.shown(text, kept=int(mask.get("budget") or 0))


def _difference(title: str, told: str, sizes: tuple[int, int], before: str, after: str) -> ViewItem:
    return ViewItem(title, told, "", _change(*sizes), "gone", before, after)


def _request(
    lens: Lens, one: ToldRound, before: Sequence[Entry], gone: Sequence[ViewItem]
) -> Iterator[ViewItem]:
    """Yields what the model read, in its order; the first parts came from the cache."""
    seen = [e for e in list(uncovered(reversed(before)))[::-1] if words_of(e.body)]
    read, cached = _system_size(one, seen), one.reply.usage.cache_read
    yield _system_item(lens, one, seen)
    yield from gone[-_MOST:]
    left_out = len(seen) - _MOST
    for place, entry in enumerate(seen):
        size = len(words_of(entry.body)) // _A_TOKEN
        read += size
        if place < left_out:
            continue
        if place == left_out:
            yield ViewItem(f"{left_out} earlier entries", "", _fresh(read, cached))
        yield from entry_items(entry, lens.shown, lens.story.turn.asker, _fresh(read, cached), size)


def _system_size(one: ToldRound, seen: Sequence[Entry]) -> int:
    counted = sum(len(words_of(entry.body)) // _A_TOKEN for entry in seen)
    return max(one.reply.usage.prompt - counted, 0)


def _system_item(lens: Lens, one: ToldRound, seen: Sequence[Entry]) -> ViewItem:
    """Returns what stands before all entries; its text is shown on demand."""
    usage, size = one.reply.usage, _system_size(one, seen)
    first = "System text and tools"
    if not lens.log.whole and not any(isinstance(e.body, SummaryBody) for e in seen):
        first = f"{first}, and entries before number {seen[0].seq}" if seen else first
    told = f"≈ {size:,}" if usage.prompt else "not counted"
    why = _CHANGED if lens.static is None else ""
    text = "" if lens.static is None else lens.shown(_static_text(lens.static), _LONGEST_STATIC)
    return ViewItem(first, why, _fresh(size, usage.cache_read), told, whole=text)


def _static_text(static: Preamble) -> str:
    tools = (
        f"{spec.name}: {spec.told}\n{json.dumps(spec.input_schema, ensure_ascii=False)}"
        for spec in static.specs
    )
    return "\n\n".join((static.system, "Tools, each with its arguments:", *tools))


def _beside(
    lens: Lens,
    one: ToldRound,
    before: Sequence[Entry],
    masks: Sequence[Mapping[str, Any]],
    until: int | None,
) -> tuple[tuple[ViewItem, ...], str]:
    """Returns each entry as the model got it beside the stored one, and where there are more."""
    part, earlier = _part(lens, before, until)
    seen = list(uncovered(reversed(before)))[::-1]
    given = {entry.seq for entry in seen}
    by_seq = {int(mask.get("seq", 0)): mask for mask in masks}
    covers = max((e.body.covers for e in seen if isinstance(e.body, SummaryBody)), default=0)
    first = () if earlier else (_system_item(lens, one, [e for e in seen if words_of(e.body)]),)
    pairs = (
        _pair(lens, entry, by_seq.get(entry.seq), _left_out(entry, given, covers))
        for entry in part
        if words_of(entry.body)
    )
    return (*first, *pairs), earlier


def _left_out(entry: Entry, given: Set[int], covers: int) -> str:
    """Returns why an entry was not in view; empty for one that was."""
    if entry.seq in given:
        return ""
    return _SUMMED if entry.seq <= covers else _TAKEN_BACK


def _pair(lens: Lens, entry: Entry, mask: Mapping[str, Any] | None, why: str) -> ViewItem:
    text = words_of(entry.body)
    stored, size, got = lens.shown(text), f"{len(text) // _A_TOKEN:,}", ""
    if mask is not None:
        why, size = str(mask.get("reason", "")), _sizes(mask)
        got = _kept(lens, text, mask)
    elif not why:
        got = stored
    title = f"{entry.seq} · {title_of(entry.body)}"
    return ViewItem(title, why, "", size, "gone" if why else "plain", stored, got)


def _sizes(mask: Mapping[str, Any]) -> str:
    return _change(int(mask.get("before", 0)), int(mask.get("after", 0)))


def _change(before: int, after: int) -> str:
    return f"{before // _A_TOKEN:,} → {after // _A_TOKEN:,}"


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
    part, earlier = _part(lens, before, until)
    items = tuple(
        item
        for entry in part
        for item in entry_items(entry, lens.shown, None, "", len(words_of(entry.body)) // _A_TOKEN)
    )
    return items, earlier


def _part(lens: Lens, before: Sequence[Entry], until: int | None) -> tuple[Sequence[Entry], str]:
    """Returns a part of the log, and the number below which there are more entries."""
    known = (*lens.log.older, *before)
    found = [entry for entry in known if until is None or entry.seq < until]
    part = found[-_MOST:]
    more = len(found) > len(part) or (bool(part) and not lens.log.whole and not lens.log.older)
    return part, str(part[0].seq) if more else ""
