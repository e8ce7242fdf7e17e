"""Rules know their card and their uses, and the record finds how an account came in."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None
lives_with = "0040"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ADMITTED = sa.text("action IN ('person.allowed', 'person.paired')")


def upgrade() -> None:
    op.add_column("rule", sa.Column("card", sa.Text(), nullable=False, server_default=""))
    op.add_column("rule", sa.Column("used", NUMBER, nullable=False, server_default="0"))
    op.add_column("rule", sa.Column("used_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_audit_admitted",
        "audit",
        ["subject"],
        sqlite_where=ADMITTED,
        postgresql_where=ADMITTED,
    )


def downgrade() -> None:
    op.drop_index("ix_audit_admitted", "audit")
    for name in ("used_at", "used", "card"):
        op.drop_column("rule", name)
