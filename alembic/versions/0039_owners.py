"""The process that routes an update, that made a message, and in whose line a turn stands."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("inbox", sa.Column("owner", NUMBER, nullable=True))
    op.add_column("outbox", sa.Column("maker", NUMBER, nullable=True))
    op.add_column("turn", sa.Column("owner", NUMBER, nullable=True))


def downgrade() -> None:
    op.drop_column("turn", "owner")
    op.drop_column("outbox", "maker")
    op.drop_column("inbox", "owner")
