"""Turns that rest after failed starts, until their next trial."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turn", sa.Column("rests", sa.Integer(), server_default="0", nullable=False))
    op.add_column("turn", sa.Column("rests_until", sa.DateTime(timezone=True), nullable=True))
    _index_turns_at_work("state IN ('queued', 'running', 'resting')")


def downgrade() -> None:
    op.execute("UPDATE turn SET state = 'running' WHERE state = 'resting'")
    _index_turns_at_work("state IN ('queued', 'running')")
    op.drop_column("turn", "rests_until")
    op.drop_column("turn", "rests")


def _index_turns_at_work(condition: str) -> None:
    """Makes the index of chats with unfinished turns anew, for the turns of this condition."""
    op.drop_index("ix_turn_at_work", "turn")
    where = sa.text(condition)
    op.create_index("ix_turn_at_work", "turn", ["chat"], sqlite_where=where, postgresql_where=where)
