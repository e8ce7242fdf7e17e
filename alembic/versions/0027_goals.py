"""Goals with their diaries, and the turns that work for them."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
OF_GOAL = sa.text("goal IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "goal",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("asker", NUMBER, nullable=False),
        sa.Column("asker_name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("pace", sa.Text(), nullable=False),
        sa.Column("a_day", NUMBER, nullable=True),
        sa.Column("budget", NUMBER, nullable=True),
        sa.Column("until", MOMENT, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_goal_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_goal"),
    )
    op.create_index("ix_goal_chat", "goal", ["chat"])
    op.create_index("ix_goal_asker", "goal", ["asker"])
    op.create_table(
        "diary",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("untrusted", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["goal"], ["goal.id"], name="fk_diary_goal"),
        sa.PrimaryKeyConstraint("id", name="pk_diary"),
    )
    op.create_index("ix_diary_goal", "diary", ["goal", "at"])
    op.create_index("ix_diary_turn", "diary", ["turn"])
    op.create_table(
        "goal_turn",
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["goal"], ["goal.id"], name="fk_goal_turn_goal"),
        sa.PrimaryKeyConstraint("turn", name="pk_goal_turn"),
    )
    op.create_index("ix_goal_turn_goal", "goal_turn", ["goal"])
    op.add_column("task", sa.Column("goal", sa.Text(), nullable=True))
    op.create_index(
        "ix_task_goal", "task", ["goal"], sqlite_where=OF_GOAL, postgresql_where=OF_GOAL
    )


def downgrade() -> None:
    op.drop_index("ix_task_goal", "task")
    op.drop_column("task", "goal")
    op.drop_table("goal_turn")
    op.drop_table("diary")
    op.drop_table("goal")
