"""Groups: the title of a chat, its settings for the bot, and the asker's name on a card."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

HEARD = sa.text("state = 'heard'")


def upgrade() -> None:
    for column in (
        sa.Column("title", sa.Text(), nullable=False, server_default=""),
        sa.Column("activation", sa.Text(), nullable=False, server_default="mention"),
        sa.Column("context", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("moved_from", sa.Text(), nullable=True),
    ):
        op.add_column("chat", column)
    op.add_column("approval", sa.Column("asker_name", sa.Text(), nullable=False, server_default=""))
    op.create_index("ix_inbox_heard", "inbox", ["chat"], sqlite_where=HEARD, postgresql_where=HEARD)


def downgrade() -> None:
    op.drop_index("ix_inbox_heard", "inbox")
    op.drop_column("approval", "asker_name")
    for name in ("title", "activation", "context", "moved_from"):
        op.drop_column("chat", name)
