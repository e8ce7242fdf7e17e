"""Paid calls by kind and skill, in whole billionths of a dollar, and budgets set in a chat."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    # Rounded before the type changes: one database would cut the dollars, the other one the cents.
    op.execute("UPDATE usage SET cost = round(cost * 1000000000)")
    with op.batch_alter_table("usage") as usage:
        usage.alter_column("chat", existing_type=NUMBER, nullable=True)
        usage.alter_column("person", existing_type=NUMBER, nullable=True)
        usage.alter_column(
            "cost", existing_type=sa.Float(), type_=NUMBER, postgresql_using="cost::bigint"
        )
        usage.alter_column("call_type", existing_type=sa.Text(), new_column_name="kind")
        usage.add_column(sa.Column("call", sa.Text(), nullable=False, server_default=""))
        usage.add_column(sa.Column("skill", sa.Text(), nullable=True))
        usage.add_column(
            sa.Column("estimated", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    op.execute("UPDATE usage SET call = 'before-' || id")
    with op.batch_alter_table("usage") as usage:
        usage.alter_column("call", existing_type=sa.Text(), server_default=None)
        usage.alter_column("estimated", existing_type=sa.Boolean(), server_default=None)
    op.create_index("uq_usage_call", "usage", ["call"], unique=True)
    op.create_index("ix_usage_person", "usage", ["person", "at"])
    op.create_index("ix_usage_turn", "usage", ["turn"])
    op.create_table(
        "budget",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("money", NUMBER, nullable=True),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("scope", name="pk_budget"),
    )


def downgrade() -> None:
    op.drop_table("budget")
    for index in ("ix_usage_turn", "ix_usage_person", "uq_usage_call"):
        op.drop_index(index, "usage")
    op.execute("DELETE FROM usage WHERE chat IS NULL OR person IS NULL")
    with op.batch_alter_table("usage") as usage:
        usage.drop_column("estimated")
        usage.drop_column("skill")
        usage.drop_column("call")
        usage.alter_column("kind", existing_type=sa.Text(), new_column_name="call_type")
        usage.alter_column("cost", existing_type=NUMBER, type_=sa.Float())
        usage.alter_column("person", existing_type=NUMBER, nullable=False)
        usage.alter_column("chat", existing_type=NUMBER, nullable=False)
    op.execute("UPDATE usage SET cost = cost / 1000000000")
