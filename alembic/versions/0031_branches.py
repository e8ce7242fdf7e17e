"""Conversations that branch off others, and what they used when they were left."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
BRANCHES = sa.text("parent IS NOT NULL")


def upgrade() -> None:
    op.add_column("conversation", sa.Column("parent", sa.Text(), nullable=True))
    op.add_column("conversation", sa.Column("shared", NUMBER, nullable=False, server_default="0"))
    op.add_column("conversation", sa.Column("in_use", sa.Text(), nullable=True))
    op.create_index(
        "ix_conversation_branches",
        "conversation",
        ["parent"],
        sqlite_where=BRANCHES,
        postgresql_where=BRANCHES,
    )


def downgrade() -> None:
    op.drop_index("ix_conversation_branches", "conversation")
    for name in ("in_use", "shared", "parent"):
        op.drop_column("conversation", name)
