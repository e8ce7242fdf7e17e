"""Cards, messages that turns took and starts of the program are found by their time."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None
lives_with = "0040"

INDEXES = (
    ("ix_turn_asked_for", "turn", ["created_at", "asker"], "origin = 'message'"),
    ("ix_approval_open_since", "approval", ["created_at", "position", "id"], "state = 'open'"),
    ("ix_approval_ended", "approval", ["decided_at", "id"], "decided_at IS NOT NULL"),
    ("ix_inbox_taken", "inbox", ["turn"], "turn IS NOT NULL"),
    ("ix_audit_began", "audit", ["at"], "action = 'program.started'"),
)


def upgrade() -> None:
    for name, table, columns, condition in INDEXES:
        where = sa.text(condition)
        op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    for name, table, _, _ in reversed(INDEXES):
        op.drop_index(name, table)
