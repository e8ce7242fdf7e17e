"""Turns that were under way whenever the program died at once."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turn", sa.Column("begun", sa.Integer(), server_default="0", nullable=False))
    op.add_column(
        "turn", sa.Column("held_back", sa.Boolean(), server_default=sa.false(), nullable=False)
    )


def downgrade() -> None:
    op.drop_column("turn", "held_back")
    op.drop_column("turn", "begun")
