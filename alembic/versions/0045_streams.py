"""The position up to which a stream of updates is stored, where another process goes on."""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None
lives_with = "0040"


def upgrade() -> None:
    op.create_table(
        "stream",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_stream"),
    )


def downgrade() -> None:
    op.drop_table("stream")
