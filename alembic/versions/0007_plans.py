"""Plans and their steps."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
LIVE = sa.text("state IN ('collecting', 'ready', 'approved', 'executing')")


def upgrade() -> None:
    _plan()
    _plan_step()


def _plan() -> None:
    op.create_table(
        "plan",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("asker", NUMBER, nullable=False),
        sa.Column("asker_name", sa.Text(), nullable=False),
        sa.Column("collector", NUMBER, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("wish", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=True),
        sa.Column("decider_name", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("owner_chats", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_plan_chat_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_plan"),
        sa.UniqueConstraint("token", name="uq_plan_token"),
    )
    op.create_index("ix_plan_chat", "plan", ["chat", "created_at"])
    op.create_index(
        "uq_plan_live", "plan", ["chat"], unique=True, sqlite_where=LIVE, postgresql_where=LIVE
    )


def _plan_step() -> None:
    op.create_table(
        "plan_step",
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("arguments", sa.LargeBinary(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("effect", sa.Text(), nullable=False),
        sa.Column("preview", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["plan"], ["plan.id"], name="fk_plan_step_plan_plan"),
        sa.PrimaryKeyConstraint("plan", "revision", "number", name="pk_plan_step"),
    )


def downgrade() -> None:
    op.drop_table("plan_step")
    op.drop_table("plan")
