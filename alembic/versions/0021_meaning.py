"""The index of meaning: which one it is, what it is owed, and what has to leave it."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column(
        "passage", sa.Column("meant", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    owed = sa.text("NOT meant")
    op.create_index(
        "ix_passage_unmeant", "passage", ["number"], sqlite_where=owed, postgresql_where=owed
    )
    op.create_table(
        "meaning",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_meaning"),
    )
    op.create_table(
        "leaving",
        sa.Column("number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("whose", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", "whose", name="pk_leaving"),
    )


def downgrade() -> None:
    op.drop_table("leaving")
    op.drop_table("meaning")
    op.drop_index("ix_passage_unmeant", "passage")
    op.drop_column("passage", "meant")
