"""The chats to which something may have been sent that is not recorded."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None
lives_with = "0040"


def upgrade() -> None:
    op.create_table(
        "sending",
        # Without a key to the chats: making one would lock them while others write.
        sa.Column(
            "chat",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("chat", name="pk_sending"),
    )
    # Versions before it note no chat, and may go on beside this one: 0 tells until when they did.
    # Without HAVING, which SQLite knows without GROUP BY from 3.39 on alone.
    newest = "SELECT max(created_at) AS at FROM outbox"
    op.execute(f"INSERT INTO sending SELECT 0, at FROM ({newest}) AS o WHERE at IS NOT NULL")


def downgrade() -> None:
    op.drop_table("sending")
