"""Cards that are also shown in the private chats of owners."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ASKED = sa.text("state = 'open' AND owner_chats <> '[]'")


def upgrade() -> None:
    column = sa.Column("owner_chats", sa.Text(), nullable=False, server_default="[]")
    op.add_column("approval", column)
    op.create_index(
        "ix_approval_for_owners",
        "approval",
        ["created_at"],
        sqlite_where=ASKED,
        postgresql_where=ASKED,
    )


def downgrade() -> None:
    op.drop_index("ix_approval_for_owners", "approval")
    op.drop_column("approval", "owner_chats")
