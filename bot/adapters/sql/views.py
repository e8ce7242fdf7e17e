"""Finds the conversations that show a turn: its own, and the branches that share it."""

from collections.abc import Iterator

from sqlalchemy import Connection, Text, bindparam, func, select, type_coerce

from bot.adapters.sql.tables import conversation, entry

_FIRST = select(func.min(entry.c.seq)).where(
    entry.c.conversation == bindparam("of"), entry.c.turn == bindparam("told")
)
_TOLD = type_coerce(entry.c.body, Text)
_TAKEN_OUT = select(func.min(entry.c.seq)).where(
    entry.c.conversation == bindparam("of"),
    _TOLD.like('%"kind":"cut"%'),
    _TOLD.like(bindparam("named")),
)
_BRANCHES = select(conversation.c.id, conversation.c.shared).where(
    conversation.c.parent == bindparam("of"), conversation.c.shared >= bindparam("least")
)


def views_of(connection: Connection, turn: str, home: str) -> Iterator[str]:
    """Yields the conversations in which a turn of the conversation `home` is in view.

    A branch reads its parent up to the entry that it shares last. So a turn that the parent takes
    out of view later stays in view in the branch.
    """
    first = connection.scalar(_FIRST, {"of": home, "told": turn})
    if first is None:
        return
    left = [home]
    while left:
        of = left.pop()
        out = connection.scalar(_TAKEN_OUT, {"of": of, "named": f'%"{turn}"%'})
        if out is None:
            yield of
        branches = connection.execute(_BRANCHES, {"of": of, "least": first})
        left += [id for id, shared in branches if out is None or shared < out]
