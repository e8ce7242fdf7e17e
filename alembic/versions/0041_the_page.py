"""Sign-in codes and sessions of the page, and indexes by which it reads the messages of a chat."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None
lives_with = "0040"

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "sign_in",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("person", NUMBER, nullable=True),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sign_in"),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("opened_at", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("ends_at", MOMENT, nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("hash", name="uq_session_hash"),
    )
    op.create_index("ix_session_person", "session", ["person"])
    op.create_index("ix_outbox_chat", "outbox", ["chat", "id"])
    op.create_index("ix_inbox_chat", "inbox", ["chat", "id"])


def downgrade() -> None:
    op.drop_index("ix_inbox_chat", "inbox")
    op.drop_index("ix_outbox_chat", "outbox")
    op.drop_table("session")
    op.drop_table("sign_in")
