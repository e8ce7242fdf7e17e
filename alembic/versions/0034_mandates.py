"""Mandates: what a turn, and the runs of a task, may do at most; cards that were asked together."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_READONLY = (
    "SELECT run.turn FROM run JOIN task ON task.id = run.task WHERE task.allowed = 'readonly' "
    "UNION SELECT hook_call.turn FROM hook_call WHERE hook_call.allowed = 'readonly'"
)
_ERRANDS = "SELECT id, parent, tools, budget, untrusted FROM errand"


def upgrade() -> None:
    for table in ("turn", "task"):
        op.add_column(table, sa.Column("mandate", sa.Text(), nullable=False, server_default="{}"))
    _fill()
    asked_with = sa.Column("asked_with", sa.Text(), nullable=False, server_default="")
    op.add_column("approval", asked_with)
    _group()
    for column in ("tools", "budget", "untrusted"):
        op.drop_column("errand", column)


def _fill() -> None:
    """Gives the turns that are here the bounds that were found elsewhere before."""
    connection = op.get_bind()
    readonly = {row.turn for row in connection.execute(sa.text(_READONLY))}
    found: dict[str, dict[str, object]] = {turn: {"readonly": True} for turn in readonly}
    for row in connection.execute(sa.text("SELECT id FROM turn WHERE origin = 'reflection'")):
        found[row.id] = {"tools": []}
    for row in connection.execute(sa.text(_ERRANDS)):
        found[row.id] = {
            "tools": json.loads(row.tools),
            "readonly": row.parent in readonly,
            "foreign": row.untrusted,
            "money": row.budget,
        }
    if found:
        rows = [{"of": turn, "told": json.dumps(told)} for turn, told in found.items()]
        connection.execute(sa.text("UPDATE turn SET mandate = :told WHERE id = :of"), rows)


def _group() -> None:
    """Names for each card the first one of those that were asked together with it."""
    connection, first = op.get_bind(), ""
    wanted = "SELECT id, position FROM approval ORDER BY turn, created_at, position, id"
    rows: list[dict[str, str]] = []
    for row in connection.execute(sa.text(wanted)):
        first = row.id if row.position == 0 else first
        rows.append({"of": row.id, "told": first})
    if rows:
        connection.execute(sa.text("UPDATE approval SET asked_with = :told WHERE id = :of"), rows)


def downgrade() -> None:
    op.drop_column("approval", "asked_with")
    op.add_column("errand", sa.Column("untrusted", sa.Text(), nullable=True))
    op.add_column("errand", sa.Column("budget", sa.BigInteger(), nullable=True))
    op.add_column("errand", sa.Column("tools", sa.Text(), nullable=False, server_default="[]"))
    for table in ("task", "turn"):
        op.drop_column(table, "mandate")
