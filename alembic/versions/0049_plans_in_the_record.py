"""The record finds the lines that show plans and decide on them."""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None
lives_with = "0040"

ON_PLANS = sa.text("action IN ('plan.ready', 'plan.approved', 'plan.changed', 'plan.cancelled')")


def upgrade() -> None:
    op.create_index(
        "ix_audit_on_plans",
        "audit",
        ["id"],
        sqlite_where=ON_PLANS,
        postgresql_where=ON_PLANS,
    )


def downgrade() -> None:
    op.drop_index("ix_audit_on_plans", "audit")
