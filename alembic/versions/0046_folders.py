"""The tag of the workers that have a folder, where several machines share a database."""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None
lives_with = "0040"


def upgrade() -> None:
    op.create_table(
        "folder",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_folder"),
    )


def downgrade() -> None:
    op.drop_table("folder")
