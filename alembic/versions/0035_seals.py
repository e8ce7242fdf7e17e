"""The signature of each call of a hook, by which a recorded call is known again."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_SEALED = sa.text("seal <> ''")


def upgrade() -> None:
    op.add_column("hook_call", sa.Column("seal", sa.Text(), nullable=False, server_default=""))
    op.create_index(
        "uq_hook_call_seal",
        "hook_call",
        ["seal"],
        unique=True,
        sqlite_where=_SEALED,
        postgresql_where=_SEALED,
    )


def downgrade() -> None:
    op.drop_index("uq_hook_call_seal", "hook_call")
    op.drop_column("hook_call", "seal")
