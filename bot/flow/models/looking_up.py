"""Asks a provider whether it has a model of a name that a person typed."""

import asyncio
import difflib
from collections.abc import Sequence

from bot.domain.talk.errors import ModelError, NoSuchModel
from bot.domain.value import frozen
from bot.ports.model import Model

_NEAR = 3
_SECONDS = 5.0


@frozen
class LookedUp:
    """The answer of a provider about a name."""

    exists: bool | None
    """True or False; None when the provider could not tell in time."""
    near: tuple[str, ...] = ()
    """Names that it has and that resemble a name it does not have, the nearest first."""


async def looked_up(model: Model, name: str) -> LookedUp:
    """Asks for the model, and when there is none for the list; for a few seconds at most.

    A provider that says “not found” may only lack the address that was asked: without a list
    nothing is known.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            try:
                await model.check(name)
            except NoSuchModel:
                names = await model.models()
                exists = name in names if names else None
                return LookedUp(exists, () if exists else _near(name, names))
    except (ModelError, TimeoutError):
        return LookedUp(None)
    return LookedUp(exists=True)


async def near_names(model: Model, name: str) -> tuple[str, ...]:
    """Returns the names of the provider that resemble one; none when it does not tell them."""
    try:
        return _near(name, await model.models())
    except ModelError:
        return ()


def _near(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Returns names that resemble one; a part of a name resembles the whole."""
    lowered = {one.lower(): one for one in names}
    wanted = name.lower()
    parts = [own for low, own in lowered.items() if wanted in low]
    alike = [lowered[one] for one in difflib.get_close_matches(wanted, lowered, _NEAR)]
    return tuple(dict.fromkeys((*parts, *alike)))[:_NEAR]
