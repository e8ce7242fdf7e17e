"""Passages and notes that are remembered, and the progress of reading the talk from before."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "passage",
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("whose", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("speaker", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=True),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=True),
        sa.Column("untrusted", sa.Text(), nullable=True),
        sa.Column("indexed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_passage_chat_chat"),
        sa.PrimaryKeyConstraint("number", name="pk_passage"),
        sqlite_autoincrement=True,
    )
    op.create_index("uq_passage_id", "passage", ["id"], unique=True)
    op.create_index("ix_passage_whose", "passage", ["whose", "at"])
    op.create_index("ix_passage_conversation", "passage", ["conversation", "number"])
    owed = sa.text("NOT indexed")
    op.create_index(
        "ix_passage_unindexed", "passage", ["number"], sqlite_where=owed, postgresql_where=owed
    )
    op.create_table(
        "note",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("whose", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("speaker", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_note"),
    )
    op.create_index("ix_note_whose", "note", ["whose", "at"])
    op.create_table(
        "past",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("ended", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_past"),
    )


def downgrade() -> None:
    # The index of words is no table of the migrations: it is made anew from the passages.
    op.execute("DROP TABLE IF EXISTS passage_vocabulary")
    op.execute("DROP TABLE IF EXISTS passage_words")
    op.drop_table("past")
    op.drop_table("note")
    op.drop_table("passage")
