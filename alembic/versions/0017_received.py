"""Files that people sent, and what a person says about themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "received",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("folder", sa.LargeBinary(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("size", NUMBER, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("swept", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_received_chat_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_received"),
    )
    op.create_index("uq_received_chat", "received", ["chat", "key"], unique=True)
    op.create_index("ix_received_size", "received", ["size"])
    kept = sa.text("NOT swept")
    op.create_index(
        "ix_received_kept", "received", ["id"], sqlite_where=kept, postgresql_where=kept
    )
    op.add_column("person", sa.Column("about", sa.Text(), server_default="", nullable=False))
    op.add_column("person", sa.Column("timezone", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("person", "timezone")
    op.drop_column("person", "about")
    op.drop_table("received")
