"""Messages, texts kept aside and recordings name what they are erased with, beside their keys."""

import re
from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

TURNS = (
    "answer",
    "calls",
    "edited",
    "errands",
    "goal",
    "halt",
    "passing",
    "rest",
    "ruled",
    "said",
    "send",
    "servers",
    "skill",
    "undo",
    "voice",
    "wait",
)
"""Beginnings of the keys of messages that name a turn behind them."""

IDS = {
    **dict.fromkeys(TURNS, "turn"),
    **dict.fromkeys(("card", "change"), "approval"),
    **dict.fromkeys(("plan", "change-plan"), "plan"),
}
"""The table whose rows are named behind a beginning."""

OF_UPDATES = ("bundle", "heard", "unheard", "unkept")
"""Beginnings of the keys of messages that name an update behind them, which a turn took."""

FOLLOWING = ("unsent", "unspoken")
"""Beginnings before the whole key of another message, which these are about."""

DOCUMENT = re.compile(r"artifact:(document-[0-9a-f]{16})\b")
COLUMNS = (("outbox", "about"), ("artifact", "turn"), ("hearing", "message"))


def upgrade() -> None:
    for table, column in COLUMNS:
        op.add_column(table, sa.Column(column, sa.Text(), server_default="", nullable=False))
    fill_messages()
    fill_artifacts()
    fill_recordings()
    about = sa.text("about <> ''")
    op.create_index(
        "ix_outbox_about", "outbox", ["about"], sqlite_where=about, postgresql_where=about
    )
    op.create_index("ix_artifact_turn", "artifact", ["turn"])


def downgrade() -> None:
    op.drop_index("ix_artifact_turn", "artifact")
    op.drop_index("ix_outbox_about", "outbox")
    for table, column in COLUMNS:
        op.drop_column(table, column)


def read(statement: str) -> list[tuple[str, ...]]:
    found = op.get_bind().execute(sa.text(statement))
    return [tuple("" if one is None else str(one) for one in row) for row in found]


def fill(statement: str, rows: list[dict[str, str | int]]) -> None:
    if rows:
        op.get_bind().execute(sa.text(statement), rows)


def fill_messages() -> None:
    ids = {table: {id for (id,) in read(f"SELECT id FROM {table}")} for table in set(IDS.values())}
    took = {row: turn for row, turn in read("SELECT id, turn FROM inbox WHERE turn IS NOT NULL")}
    messages = read("SELECT id, key, copy_of FROM outbox ORDER BY id")
    about: dict[str, str] = {}
    by_key: dict[str, str] = {}
    for number, key, copy_of in messages:
        kind, _, rest = key.partition(":")
        if kind == "copy":
            named = about.get(copy_of or rest.rpartition(":")[2], "")
        elif kind in OF_UPDATES:
            named = took.get(rest.partition(":")[0], "")
        elif kind in FOLLOWING:
            named = by_key.get(rest, "")
        else:
            known = ids.get(IDS.get(kind, ""), set[str]())
            named = next((id for id in heads(rest, ":@#") if id in known), "")
        about[number] = by_key[key] = named
    rows = [{"number": int(number), "named": named} for number, named in about.items() if named]
    fill("UPDATE outbox SET about = :named WHERE id = :number", rows)


def heads(text: str, signs: str) -> Iterator[str]:
    """Yields a text, and its parts before each of these signs, the longest one first."""
    yield text
    yield from (text[:n] for n in range(len(text) - 1, -1, -1) if text[n] in signs)


def fill_artifacts() -> None:
    turns = {id for (id,) in read("SELECT id FROM turn")}
    told = read(
        "SELECT chat, turn, body FROM entry WHERE body LIKE '%artifact:document-%'"
        " ORDER BY chat, seq DESC"
    )
    # Whoever reads a document later names it too: the first entry of its chat brought it.
    brought = {(chat, name): turn for chat, turn, body in told for name in DOCUMENT.findall(body)}
    found: dict[str, str] = {}
    for name, chat in read("SELECT id, chat FROM artifact"):
        turn = name.rpartition("-")[0]
        found[name] = turn if turn in turns else brought.get((chat, name), "")
    rows: list[dict[str, str | int]] = [
        {"name": name, "turn": turn} for name, turn in found.items() if turn
    ]
    fill("UPDATE artifact SET turn = :turn WHERE id = :name", rows)


def fill_recordings() -> None:
    """The name of a file may hold the sign behind the message, so updates tell where that ends."""
    sent = set(read("SELECT chat, message_id FROM inbox WHERE message_id IS NOT NULL"))
    rows: list[dict[str, str | int]] = []
    for chat, key in read("SELECT chat, key FROM hearing"):
        known = (head for head in heads(key, "/") if (chat, head) in sent)
        message = next(known, key.partition("/")[0])
        rows.append({"chat": int(chat), "key": key, "message": message})
    fill("UPDATE hearing SET message = :message WHERE chat = :chat AND key = :key", rows)
