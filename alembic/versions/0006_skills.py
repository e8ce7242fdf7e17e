"""The active skill of a chat and of a turn, and the number of a turn's stages."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("chat", sa.Column("skill", sa.Text(), nullable=True))
    lent = sa.Column("skill_lent", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("chat", lent)
    op.add_column("turn", sa.Column("skill", sa.Text(), nullable=True))
    stages = sa.Column("stages", sa.Integer(), nullable=False, server_default="0")
    op.add_column("turn", stages)


def downgrade() -> None:
    op.drop_column("turn", "stages")
    op.drop_column("turn", "skill")
    op.drop_column("chat", "skill_lent")
    op.drop_column("chat", "skill")
