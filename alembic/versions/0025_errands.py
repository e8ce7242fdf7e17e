"""Errands: tasks of a turn that other turns work on, each in a chat that is its home."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_UNTAKEN = "NOT taken"
_BROUGHT = "state = 'done' AND NOT taken"


def upgrade() -> None:
    op.add_column("chat", sa.Column("screen", NUMBER, nullable=True))
    op.add_column("approval", sa.Column("home", NUMBER, nullable=True))
    op.add_column("turn", sa.Column("parent", sa.Text(), nullable=True))
    op.create_table(
        "errand",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("home", NUMBER, nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("parent", sa.Text(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("asker", NUMBER, nullable=False),
        sa.Column("asker_name", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tools", sa.Text(), nullable=False),
        sa.Column("budget", NUMBER, nullable=True),
        sa.Column("untrusted", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("set_aside", sa.Boolean(), nullable=False),
        sa.Column("recalled", sa.Boolean(), nullable=False),
        sa.Column("taken", sa.Boolean(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["home"], ["chat.id"], name="fk_errand_home"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_errand_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_errand"),
    )
    op.create_index("uq_errand_home", "errand", ["home"], unique=True)
    op.create_index("ix_errand_parent", "errand", ["parent"])
    for name, where in (("untaken", _UNTAKEN), ("brought", _BROUGHT)):
        condition = sa.text(where)
        op.create_index(
            f"ix_errand_{name}",
            "errand",
            ["chat"],
            sqlite_where=condition,
            postgresql_where=condition,
        )


def downgrade() -> None:
    op.drop_table("errand")
    op.drop_column("turn", "parent")
    op.drop_column("approval", "home")
    op.drop_column("chat", "screen")
