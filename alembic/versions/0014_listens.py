"""A group is listened to, a message has its moment; `context` meant both."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

entry = sa.table("entry", sa.column("body"))


def upgrade() -> None:
    op.alter_column("chat", "context", new_column_name="listens")
    _name('"context":', '"moment":')


def downgrade() -> None:
    _name('"moment":', '"context":')
    op.alter_column("chat", "listens", new_column_name="context")


def _name(old: str, new: str) -> None:
    """Names the moment of stored messages anew.

    Only such an entry has the name, and its texts cannot hold it: there a quotation mark has a
    backslash before it.
    """
    asked = entry.c.body.like('{"text":%"kind":"asker"}')
    op.execute(entry.update().where(asked).values(body=sa.func.replace(entry.c.body, old, new)))
