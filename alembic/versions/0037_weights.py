"""The weight of the search by meaning beside that by words."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("meaning", sa.Column("weight", sa.Float(), nullable=True))
    op.add_column("meaning", sa.Column("weighed", NUMBER, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("meaning", "weighed")
    op.drop_column("meaning", "weight")
