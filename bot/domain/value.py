"""The decorator of frozen values: as a frozen dataclass, at a third of its cost for each class.

The standard one writes and compiles six methods for each class; with slots it also keeps the class
twice. Here the classes share all methods but `__init__`, and only the type checker refuses to
change a field. docs/decisions/0070-a-lighter-process.md has the figures.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

__all__ = ["field", "frozen", "replace"]

T = TypeVar("T")

_COMPARED = "__compared__"
"""The attribute of a class that returns what two of its values are compared by."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Returns the class as a dataclass, whose values are equal and hashed by their fields."""
    shared: dict[str, Callable[..., Any]] = {"__repr__": _told, "__eq__": _equal, "__hash__": _hash}
    wanted = {name: method for name, method in shared.items() if name not in vars(cls)}
    made: Any = dataclass(eq=False, repr=False)(cls)
    compared = [one.name for one in fields(made) if one.compare]
    setattr(made, _COMPARED, attrgetter(*compared) if compared else _nothing)
    for name, method in wanted.items():
        setattr(made, name, method)
    return made


def _nothing(_: object) -> tuple[()]:
    return ()


def _told(self: Any) -> str:
    told = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({told})"


def _equal(self: Any, other: Any) -> bool:
    if other.__class__ is not self.__class__:
        return NotImplemented
    compared = self.__class__.__compared__
    return compared(self) == compared(other)


def _hash(self: Any) -> int:
    return hash(self.__class__.__compared__(self))
