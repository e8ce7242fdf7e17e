"""Further tries of failed runs of hooks, and an index that counts all calls of a minute."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

AGAIN = sa.text("state = 'again'")


def upgrade() -> None:
    op.add_column("hook_call", sa.Column("tries", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("hook_call", sa.Column("again_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_hook_call_when", "hook_call", ["at"])
    op.create_index(
        "ix_hook_call_again",
        "hook_call",
        ["again_at"],
        sqlite_where=AGAIN,
        postgresql_where=AGAIN,
    )


def downgrade() -> None:
    op.drop_index("ix_hook_call_again", "hook_call")
    op.drop_index("ix_hook_call_when", "hook_call")
    op.drop_column("hook_call", "again_at")
    op.drop_column("hook_call", "tries")
