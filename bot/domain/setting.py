"""A setting: one field of a frozen section, with what people read of it and how it is read."""

from collections.abc import Callable
from typing import Any, TypeVar

from bot.domain.value import field, frozen

T = TypeVar("T")

MARK = "setting"
"""The key of a field's metadata under which its `Setting` or its `Section` stands."""


@frozen
class Setting:
    """A field's part that its type does not tell: for the reading, the listing and the docs."""

    sentence: str
    """The sentence that people read."""
    name: str = ""
    """The whole name without `STEWARD_`, in lower case; empty for the section's prefix and the
    name of the field."""
    read: Callable[[str], Any] | None = None
    """Returns the value of a text; raises ValueError with half a sentence."""
    check: Callable[[Any], Any] | None = None
    """Returns a value of the field's type as it is kept; raises ValueError as `read` does."""
    most: str = ""
    """The whole name of the setting that this one should not be above."""
    bounds: tuple[tuple[str, float], ...] = ()
    """Bounds of the number, in the words of pydantic: `ge`, `gt`, `le`, `lt`, `min_length`."""


@frozen
class Section:
    """A field that holds the settings of a class; their names begin with `prefix`."""

    kind: type
    prefix: str = ""
    needs: str = ""
    """The whole name of the setting without which there is no section at all."""


def setting(
    default: T,
    sentence: str,
    *,
    name: str = "",
    read: Callable[[str], Any] | None = None,
    check: Callable[[Any], Any] | None = None,
    most: str = "",
    **bounds: float,
) -> T:
    """Returns the field of a setting with its default."""
    told = Setting(sentence, name, read, check, most, tuple(bounds.items()))
    return field(default=default, metadata={MARK: told})


def needed(sentence: str, *, name: str = "", hidden: bool = False) -> Any:
    """Returns the field of a setting without a default; a `hidden` one is kept out of `repr`."""
    return field(repr=not hidden, metadata={MARK: Setting(sentence, name)})


def section(kind: type[T], prefix: str = "") -> T:
    """Returns the field of a section; without settings it is what `kind()` makes."""
    return field(default_factory=kind, metadata={MARK: Section(kind, prefix)})


def optional_section(kind: type[T], prefix: str, needs: str) -> T | None:
    """Returns the field of a section that is None as long as the setting `needs` is not set."""
    return field(default=None, metadata={MARK: Section(kind, prefix, needs)})
