"""Tasks that run at their times, and their runs."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)
SCHEDULED = sa.text("state = 'active' AND due IS NOT NULL")
TRIED_AGAIN = sa.text("state = 'again'")
NOT_OVER = sa.text("state IN ('queued', 'running', 'waiting', 'again')")


def upgrade() -> None:
    op.create_table(
        "task",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("home", NUMBER, nullable=False),
        sa.Column("asker", NUMBER, nullable=False),
        sa.Column("asker_name", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("due", MOMENT, nullable=True),
        sa.Column("planned_at", MOMENT, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("fresh", sa.Boolean(), nullable=False),
        sa.Column("allowed", sa.Text(), nullable=False),
        sa.Column("overlap", sa.Text(), nullable=False),
        sa.Column("calls", sa.Text(), nullable=False),
        sa.Column("calls_until", MOMENT, nullable=True),
        sa.Column("limits", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("untrusted", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_task_chat"),
        sa.ForeignKeyConstraint(["home"], ["chat.id"], name="fk_task_home"),
        sa.PrimaryKeyConstraint("id", name="pk_task"),
    )
    op.create_index("ix_task_chat", "task", ["chat"])
    op.create_index("ix_task_home", "task", ["home"])
    op.create_index("ix_task_asker", "task", ["asker"])
    some("ix_task_due", "task", "due", SCHEDULED)
    some("ix_task_planned", "task", "planned_at", SCHEDULED)
    op.create_table(
        "run",
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("due", MOMENT, nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("again_at", MOMENT, nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["task"], ["task.id"], name="fk_run_task"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_run_chat"),
        sa.PrimaryKeyConstraint("task", "due", name="pk_run"),
    )
    op.create_index("uq_run_turn", "run", ["turn"], unique=True)
    op.create_index("ix_run_at", "run", ["task", "at"])
    some("ix_run_again", "run", "again_at", TRIED_AGAIN)
    some("ix_run_not_over", "run", "task", NOT_OVER)


def some(name: str, table: str, column: str, where: sa.TextClause) -> None:
    op.create_index(name, table, [column], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    op.drop_table("run")
    op.drop_table("task")
