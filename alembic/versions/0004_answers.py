"""Answers: the form of long answers in a chat, and previews of links."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "chat", sa.Column("long_answers", sa.Text(), nullable=False, server_default="messages")
    )
    op.add_column(
        "chat", sa.Column("previews", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    op.drop_column("chat", "previews")
    op.drop_column("chat", "long_answers")
