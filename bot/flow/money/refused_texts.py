"""Embeds texts of which an embedder may refuse some."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from bot.domain.memory.meaning import STRANGE_TEXTS, Vector
from bot.domain.talk.errors import EmbedderRefuses

Embed: TypeAlias = Callable[[Sequence[str]], Awaitable[Sequence[Vector]]]


async def vectors_of(texts: Sequence[str], embed: Embed) -> list[Vector | EmbedderRefuses]:
    """Returns a vector for each text, or its refusal; raises an EmbedderError.

    When a portion is refused, each of its texts is asked for alone.
    """
    try:
        return list(await embed(texts))
    except EmbedderRefuses as fault:
        if len(texts) == 1:
            return [await _again(texts[0], embed, fault)]
    return [one for text in texts for one in await vectors_of([text], embed)]


async def _again(text: str, embed: Embed, refusal: EmbedderRefuses) -> Vector | EmbedderRefuses:
    """Asks once more for a refused text, behind one that an embedder in health takes.

    An embedder that refuses any text is ill, and everything stays owed to it.
    """
    await embed(STRANGE_TEXTS[:1])
    try:
        (vector,) = await embed([text])
    except EmbedderRefuses:
        return refusal
    return vector
