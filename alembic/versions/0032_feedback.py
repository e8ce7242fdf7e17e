"""Opinions of people about answers."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_feedback_chat"),
        sa.PrimaryKeyConstraint("turn", "person", name="pk_feedback"),
    )
    op.create_index("ix_feedback_at", "feedback", ["at"])
    op.create_index("ix_feedback_person", "feedback", ["person"])
    op.create_index("ix_feedback_chat", "feedback", ["chat"])


def downgrade() -> None:
    op.drop_table("feedback")
