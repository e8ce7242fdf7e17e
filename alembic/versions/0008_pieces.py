"""Pieces of a message, which no pace counts, and an index of waiting messages by number."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

WAITING = sa.text("state = 'waiting'")
KNOWN = sa.text("person IS NOT NULL")
COUNTED = sa.text("person IS NOT NULL AND NOT piece")


def upgrade() -> None:
    piece = sa.Column("piece", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("inbox", piece)
    op.drop_index("ix_inbox_person", "inbox")
    _index("ix_inbox_counted", ["person", "received_at"], COUNTED)
    _index("ix_inbox_message", ["chat", "message_id"], WAITING)


def downgrade() -> None:
    op.drop_index("ix_inbox_message", "inbox")
    op.drop_index("ix_inbox_counted", "inbox")
    op.drop_column("inbox", "piece")
    _index("ix_inbox_person", ["person", "received_at"], KNOWN)


def _index(name: str, columns: list[str], condition: sa.TextClause) -> None:
    op.create_index(name, "inbox", columns, sqlite_where=condition, postgresql_where=condition)
