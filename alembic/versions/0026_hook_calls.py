"""Calls of hooks, which other programs make."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
KEYED = sa.text("key <> ''")


def upgrade() -> None:
    op.create_table(
        "hook_call",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hook", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("allowed", sa.Text(), nullable=False),
        sa.Column("fresh", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_hook_call_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_hook_call"),
    )
    op.create_index(
        "uq_hook_call_key",
        "hook_call",
        ["hook", "key"],
        unique=True,
        sqlite_where=KEYED,
        postgresql_where=KEYED,
    )
    op.create_index("uq_hook_call_turn", "hook_call", ["turn"], unique=True)
    op.create_index("ix_hook_call_at", "hook_call", ["hook", "at"])


def downgrade() -> None:
    op.drop_table("hook_call")
