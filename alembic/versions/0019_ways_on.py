"""Buttons below the end of a turn, and the turns that they start."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turn", sa.Column("ways_on", sa.Text(), server_default="none", nullable=False))
    op.add_column("turn", sa.Column("follows", sa.Text(), nullable=True))
    op.add_column("turn", sa.Column("way", sa.Text(), nullable=True))
    op.add_column("turn", sa.Column("said", sa.Text(), server_default="", nullable=False))
    leads_on = sa.text("ways_on = 'open'")
    op.create_index(
        "ix_turn_ways_on", "turn", ["chat"], sqlite_where=leads_on, postgresql_where=leads_on
    )


def downgrade() -> None:
    op.drop_index("ix_turn_ways_on", "turn")
    for name in ("said", "way", "follows", "ways_on"):
        op.drop_column("turn", name)
