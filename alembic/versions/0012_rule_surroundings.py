"""The surroundings of a standing rule; an older rule is one that was given without a skill."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("surroundings", sa.Text(), nullable=False, server_default="{}")
    op.add_column("rule", column)


def downgrade() -> None:
    op.drop_column("rule", "surroundings")
