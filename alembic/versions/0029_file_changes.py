"""Changes of files that can be taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "file_change",
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("asker", NUMBER, nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("mode", sa.Integer(), nullable=False),
        sa.Column("now", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("undone", sa.Boolean(), nullable=False),
        sa.Column("flips", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("met", sa.Text(), nullable=False),
        sa.Column("agreed", sa.Boolean(), nullable=False),
        sa.Column("spare", sa.LargeBinary(), nullable=True),
        sa.Column("spare_now", sa.Text(), nullable=False),
        sa.Column("spare_mode", sa.Integer(), nullable=False),
        sa.Column("spare_kept", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_file_change_chat"),
        sa.PrimaryKeyConstraint("number", name="pk_file_change"),
    )
    op.create_index("uq_file_change_id", "file_change", ["id"], unique=True)
    op.create_index("ix_file_change_task", "file_change", ["task"])
    op.create_index("ix_file_change_by", "file_change", ["by"])
    op.create_index("ix_file_change_chat", "file_change", ["chat", "number"])


def downgrade() -> None:
    op.drop_table("file_change")
