"""The mandate of the turns that carry a plan out."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None
lives_with = "0040"


def upgrade() -> None:
    # Plans from before have the mandate of a person's own words, as they had.
    op.add_column("plan", sa.Column("mandate", sa.Text(), server_default="{}", nullable=False))


def downgrade() -> None:
    op.drop_column("plan", "mandate")
