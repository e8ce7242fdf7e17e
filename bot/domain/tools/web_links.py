"""The links of a text for people: which of them may stay behind words."""

from collections.abc import Collection

from bot.domain.talk.web_address import link_of


def behind(words: str, target: str, known: Collection[str] | None) -> str:
    """Returns what stands behind the words of a link: its whole target, or nothing.

    Words may hide a `known` target; without a list they may hide any. Every channel asks this about
    every link that it has read.
    """
    if known is None or not target or words.strip() == target or link_of(target) in known:
        return ""
    return f" ({target})"
