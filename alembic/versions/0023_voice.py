"""Voice: the words of recordings, answers owed as voice notes, and a switch of each chat."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column(
        "chat", sa.Column("voice", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_table(
        "hearing",
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_hearing_chat"),
        sa.PrimaryKeyConstraint("chat", "key", name="pk_hearing"),
    )
    op.create_table(
        "voice_note",
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_voice_note_chat"),
        sa.PrimaryKeyConstraint("turn", name="pk_voice_note"),
    )


def downgrade() -> None:
    op.drop_table("voice_note")
    op.drop_table("hearing")
    op.drop_column("chat", "voice")
