"""The standing rules that a card offered, in words: those that would have saved a card like it."""

from collections.abc import Iterator
from hashlib import sha256

from bot.domain.consent.rules import describe
from bot.domain.tools.tool import Effect, ExactRule, Preview, RulePattern
from bot.domain.value import frozen


@frozen
class OfferedRule:
    """A rule in words; the same rule has the same key."""

    words: str
    key: str
    pattern: RulePattern


def offered_rules(tool: str, preview: Preview) -> tuple[OfferedRule, ...]:
    """Returns the rules of a card, the narrowest first; none for what always asks."""
    return () if preview.effect is Effect.DANGER else tuple(_offered(tool, preview))


def _offered(tool: str, preview: Preview) -> Iterator[OfferedRule]:
    if preview.always is not None and not preview.once:
        yield _rule(tool, preview.always, preview.subject)
    if preview.wider is not None:
        yield _rule(tool, preview.wider, preview.subject)


def _rule(tool: str, pattern: RulePattern, subject: str) -> OfferedRule:
    if isinstance(pattern, ExactRule):
        key = sha256(f"{tool} {pattern.arguments}".encode(errors="replace")).hexdigest()
        return OfferedRule(f"Exactly this: {subject}", key, pattern)
    words = describe(tool, pattern)
    return OfferedRule(words, words, pattern)
