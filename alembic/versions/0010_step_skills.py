"""The skill with which each step of a plan was planned; live plans continue unchanged."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

LIVE = ("collecting", "ready", "approved", "executing")

chat = sa.table("chat", sa.column("id"), sa.column("skill"))
plan = sa.table("plan", sa.column("id"), sa.column("chat"), sa.column("state"))
step = sa.table("plan_step", sa.column("plan"), sa.column("skill"))


def upgrade() -> None:
    op.add_column("plan_step", sa.Column("skill", sa.Text(), nullable=True))
    op.add_column("plan_step", sa.Column("lender", sa.Text(), nullable=True))
    # Until now a plan was carried out under the active skill of its chat.
    at_work = sa.select(chat.c.skill).join(plan, plan.c.chat == chat.c.id)
    live = sa.select(plan.c.id).where(plan.c.state.in_(LIVE))
    op.execute(
        step.update()
        .where(step.c.plan.in_(live))
        .values(skill=at_work.where(plan.c.id == step.c.plan).scalar_subquery())
    )


def downgrade() -> None:
    op.drop_column("plan_step", "lender")
    op.drop_column("plan_step", "skill")
