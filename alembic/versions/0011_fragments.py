"""One word for the parts in which a message comes: fragments; a piece is a platform's message."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

entry = sa.table("entry", sa.column("body"))


def upgrade() -> None:
    _rename("piece", "fragment")
    _count('"pieces":', '"messages":')


def downgrade() -> None:
    _count('"messages":', '"pieces":')
    _rename("fragment", "piece")


def _rename(old: str, new: str) -> None:
    """Names the column anew, and makes the index whose condition names it."""
    op.drop_index("ix_inbox_counted", "inbox")
    op.alter_column("inbox", old, new_column_name=new)
    counted = sa.text(f"person IS NOT NULL AND NOT {new}")
    columns = ["person", "received_at"]
    op.create_index(
        "ix_inbox_counted", "inbox", columns, sqlite_where=counted, postgresql_where=counted
    )


def _count(old: str, new: str) -> None:
    """Names the count in the seams of stored messages anew.

    In such an entry only the seam has names of its own, and a text cannot hold the name: there a
    quotation mark has a backslash before it.
    """
    asked = entry.c.body.like('%"seam":{"sender":%"kind":"asker"}')
    op.execute(entry.update().where(asked).values(body=sa.func.replace(entry.c.body, old, new)))
