"""Tells why a search of the memory found a passage: its words, names, neighbours and meaning."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from heapq import nlargest
from zoneinfo import ZoneInfo

from bot.domain.memory.fit import Found, ScoreParts
from bot.domain.memory.passage import Passage, clipped_words
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.inspection.places import Places
from bot.flow.memory.recall import Looked
from bot.ports.memory_page import RecalledLine

_WORDS = 6
"""The heaviest words of a search that are named."""

_QUESTION, _ANSWER, _LONGEST_WORD = 200, 500, 40
_LEAST = 0.05
"""A part of a score that is worth a sentence."""

_BESIDE = "It stands beside one that fits, and comes along if there is room."
_FITS = "It fits, so a message with these words brings it along."
_WISH = "It is a wish that holds always, so it comes along."
_CROWDED = "It fits, but others fit better, or it only says that something is not known."
_LEFT = "It does not fit well enough to come along."


@frozen
class RecallTeller:
    """Tells one search to one person."""

    looked: Looked
    places: Places
    zone: str
    conceal: Conceal

    def lines(self) -> tuple[RecalledLine, ...]:
        """Returns what would be told to a model, its neighbours, and then what else was found."""
        found = {one.id: one for one in self.looked.found}
        beside = [one.id for one in self.looked.around if one.id not in self.looked.told]
        ids = dict.fromkeys((*self.looked.told, *beside, *found))
        held = self.looked.passages
        return tuple(self._line(held[id], found.get(id)) for id in ids if id in held)

    def _line(self, one: Passage, found: Found | None) -> RecalledLine:
        parts = self.looked.parts.get(one.id)
        return RecalledLine(
            one.id,
            told_briefly(one.question, _QUESTION, self.conceal),
            told_briefly(one.answer, _ANSWER, self.conceal),
            local_time(one.at, self.zone),
            "" if one.chat is None else self.places.of(one.chat),
            "" if one.untrusted is None else one_line(one.untrusted, _QUESTION),
            one.id in self.looked.told or one in self.looked.around,
            self._verdict(one, found),
            "" if found is None or found.by_words is None else f"{found.by_words.score:.1f}",
            tuple(_why(found, parts)),
        )

    def _verdict(self, one: Passage, found: Found | None) -> str:
        if one.id in self.looked.told:
            return _FITS if found is not None and found.fits else _WISH
        if one in self.looked.around:
            return _BESIDE
        return _CROWDED if found is not None and found.fits else _LEFT


def told_briefly(text: str, most: int, conceal: Conceal) -> str:
    """Returns the beginning of somebody's words on one line, without secrets and hidden signs."""
    return visible(clipped_words(conceal(" ".join(text.split())), most))


def local_time(at: datetime, zone: str) -> str:
    """Returns a time as a person's clock shows it."""
    return f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}"


def _why(found: Found | None, parts: ScoreParts | None) -> Iterator[str]:
    if parts is not None:
        yield from _by_words(parts, found)
    if found is not None and found.by_meaning is not None:
        yield (
            f"Meaning: nearer than chance by {found.by_meaning.score:.1f} times the usual spread."
        )


def _by_words(parts: ScoreParts, found: Found | None) -> Iterator[str]:
    if parts.words:
        share = found.by_words.share if found is not None and found.by_words is not None else 0.0
        covers = f"; they cover {share:.0%} of the search" if share else ""
        yield f"Words with their weights: {_weighed(parts.words)}{covers}."
    yield f"Its own words count {parts.own:.1f}{', more since it is a wish' if parts.wish else ''}."
    if parts.names:
        names = ", ".join(one_line(name, _LONGEST_WORD) for name in sorted(parts.names))
        yield f"A name that you search for stands before a line: {names}."
    if parts.lost >= _LEAST:
        yield f"It loses {parts.lost:.1f}: a name that you search for is not near."
    if parts.beside >= _LEAST:
        yield f"The answers before and after it add {parts.beside:.1f}."
    if parts.talk >= _LEAST:
        yield f"The best answers of its conversation add {parts.talk:.1f}."


def _weighed(words: Mapping[str, float]) -> str:
    heaviest = nlargest(_WORDS, words.items(), key=lambda one: (one[1], one[0]))
    told = ", ".join(f"{one_line(word, _LONGEST_WORD)} {weight:.1f}" for word, weight in heaviest)
    return f"{told} and {len(words) - _WORDS} more" if len(words) > _WORDS else told
