"""Old rows are removed in bites, and the sizes of the database are known day by day."""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None
lives_with = "0040"


def upgrade() -> None:
    op.create_table(
        "sweep",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("up_to", _number(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_sweep"),
    )
    op.create_table(
        "measure",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("bytes", _number(), nullable=False),
        sa.PrimaryKeyConstraint("day", "part", name="pk_measure"),
    )


def downgrade() -> None:
    op.drop_table("measure")
    op.drop_table("sweep")


def _number() -> sa.BigInteger:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")
