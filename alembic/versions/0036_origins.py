"""The sites and servers that the foreign content of a passage comes from."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("passage", sa.Column("origins", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("passage", "origins")
