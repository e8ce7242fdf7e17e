"""People: the rights and the pace of each, and the person behind a message."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KNOWN = sa.text("person IS NOT NULL")


def upgrade() -> None:
    op.add_column("person", sa.Column("rights", sa.Text(), nullable=False, server_default="{}"))
    op.add_column("person", sa.Column("pace", sa.Text(), nullable=True))
    op.add_column("inbox", sa.Column("person", NUMBER, nullable=True))
    columns = ["person", "received_at"]
    op.create_index("ix_inbox_person", "inbox", columns, sqlite_where=KNOWN, postgresql_where=KNOWN)


def downgrade() -> None:
    op.drop_index("ix_inbox_person", "inbox")
    op.drop_column("inbox", "person")
    op.drop_column("person", "pace")
    op.drop_column("person", "rights")
