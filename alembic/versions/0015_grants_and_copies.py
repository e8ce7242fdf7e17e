"""Rules that a skill asked for and that end with its use, and the copies of messages."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
COPIES = sa.text("copy_of IS NOT NULL")


def upgrade() -> None:
    op.add_column("rule", sa.Column("under", sa.Text(), server_default="", nullable=False))
    op.add_column("chat", sa.Column("offered", sa.Text(), nullable=True))
    op.add_column("outbox", sa.Column("copy_of", NUMBER, nullable=True))
    op.create_index(
        "ix_outbox_copy", "outbox", ["copy_of"], sqlite_where=COPIES, postgresql_where=COPIES
    )


def downgrade() -> None:
    # A program that knows nothing of skills' rules would obey them under any skill.
    op.execute("DELETE FROM rule WHERE under <> ''")
    op.drop_index("ix_outbox_copy", "outbox")
    op.drop_column("outbox", "copy_of")
    op.drop_column("chat", "offered")
    op.drop_column("rule", "under")
