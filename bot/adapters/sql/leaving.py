"""Notes which vectors have to leave the index of meaning, before their passages go or move."""

from sqlalchemy import ColumnElement, Executable, exists, insert, select

from bot.adapters.sql.tables import leaving, meaning, passage


def leaving_of(*conditions: ColumnElement[bool]) -> Executable:
    """Returns a statement that lets the vectors of some passages leave; none without an index."""
    known = (leaving.c.number == passage.c.number, leaving.c.whose == passage.c.whose)
    going = select(passage.c.number, passage.c.whose).where(
        *conditions, exists(select(meaning.c.id)), ~exists(select(leaving.c.number).where(*known))
    )
    return insert(leaving).from_select(["number", "whose"], going)
