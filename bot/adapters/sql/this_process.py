"""Words of statements that know which process asks: on PostgreSQL each has a number.

A connection is opened with the number of its process, so no statement has to carry it along.
"""

import secrets
from typing import Any

from sqlalchemy import BigInteger, Boolean, ColumnElement
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

SETTING = "steward.process"
"""The setting of a connection that has the number."""

DOES_NOT_ROUTE = 1 << 49
"""Stands in the number of a process that routes no updates."""

DOES_NOT_WORK = 1 << 50
"""Stands in the number of a process that carries out no turns."""

_TELLS_REVISION = 1 << 51
"""Stands in the number of a process that also has the newest revision which the process knows."""

_LOTS = 34
"""Bits of such a number that are drawn by lot, so that none comes twice; the revision follows."""

_REVISIONS = 14
"""Bits of the revision."""

FIRST = "0040"
"""The newest revision of 0.2.0, whose processes tell none."""

_NUMBER = f"CAST(NULLIF(current_setting('{SETTING}', true), '') AS bigint)"


def draw_number(revision: str) -> int:
    """Returns a number for a process that knows the revisions up to this one."""
    return 1 + secrets.randbelow((1 << _LOTS) - 1) | int(revision) << _LOTS | _TELLS_REVISION


def known_to(process: int) -> str:
    """Returns the newest revision that a process knows, by its number."""
    if not process & _TELLS_REVISION:
        return FIRST
    return f"{(process >> _LOTS) % (1 << _REVISIONS):04}"


class ThisProcess(FunctionElement[int]):
    """The number of the process that asks."""

    type = BigInteger()
    inherit_cache = True


class OfThisProcess(FunctionElement[bool]):
    """True where a column has the number of the process that asks; always true on SQLite."""

    type = Boolean()
    inherit_cache = True

    def __init__(self, column: ColumnElement[Any]) -> None:
        super().__init__(column)


class NextFence(FunctionElement[int]):
    """A greater number than the column has, and than any that a server gave before.

    A standby may not have the last claims of its primary. So on PostgreSQL the number follows the
    time: else two processes could have the same one.
    """

    type = BigInteger()
    inherit_cache = True

    def __init__(self, column: ColumnElement[int]) -> None:
        super().__init__(column)


@compiles(ThisProcess, "postgresql")
def _number(_element: ThisProcess, _compiler: Any, **_: Any) -> str:
    return _NUMBER


@compiles(ThisProcess)
def _no_number(_element: ThisProcess, _compiler: Any, **_: Any) -> str:
    return "NULL"


@compiles(OfThisProcess, "postgresql")
def _same(element: OfThisProcess, compiler: Any, **options: Any) -> str:
    (column,) = element.clauses
    return f"coalesce({compiler.process(column, **options)} = {_NUMBER}, false)"


@compiles(OfThisProcess)
def _always(_element: OfThisProcess, _compiler: Any, **_: Any) -> str:
    return "(1 = 1)"


@compiles(NextFence, "postgresql")
def _by_time(element: NextFence, compiler: Any, **options: Any) -> str:
    (column,) = element.clauses
    now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
    return f"greatest({compiler.process(column, **options)} + 1, {now})"


@compiles(NextFence)
def _one_more(element: NextFence, compiler: Any, **options: Any) -> str:
    (column,) = element.clauses
    return f"{compiler.process(column, **options)} + 1"
