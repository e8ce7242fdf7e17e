"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def partial_index(name: str, table: str, columns: list[str], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)


def create_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("chat", NUMBER, nullable=True),
        sa.Column("person", NUMBER, nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_chat", "audit", ["chat", "id"])
    partial_index("ix_audit_ran", "audit", ["chat", "at"], "action = 'call.ran'")


def create_chat() -> None:
    op.create_table(
        "chat",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("queue_mode", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("timezone", sa.Text(), nullable=True),
        sa.Column("fence", NUMBER, nullable=False),
        sa.Column("last_seq", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_chat"),
        sa.UniqueConstraint("address", name="uq_chat_address"),
    )


def create_greeting() -> None:
    op.create_table(
        "greeting",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_greeting"),
    )


def create_pairing() -> None:
    op.create_table(
        "pairing",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_pairing"),
    )


def create_person() -> None:
    op.create_table(
        "person",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
    )


def create_verdict() -> None:
    op.create_table(
        "verdict",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_verdict"),
    )
    op.create_index("ix_verdict_turn", "verdict", ["turn"])


def create_account() -> None:
    op.create_table(
        "account",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name="fk_account_person"),
        sa.PrimaryKeyConstraint("key", name="pk_account"),
    )
    op.create_index("ix_account_person", "account", ["person"])


def create_approval() -> None:
    op.create_table(
        "approval",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("preview", sa.Text(), nullable=False),
        sa.Column("asker", NUMBER, nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("group", sa.Integer(), nullable=False),
        sa.Column("set_aside", sa.Boolean(), nullable=False),
        sa.Column("reported", sa.Boolean(), nullable=False),
        sa.Column("decided_by", NUMBER, nullable=True),
        sa.Column("decider_name", sa.Text(), nullable=False),
        sa.Column("decided_at", MOMENT, nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("shown_at", MOMENT, nullable=True),
        sa.Column("turn_settled", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_approval_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_approval"),
        sa.UniqueConstraint("token", name="uq_approval_token"),
    )
    partial_index(
        "ix_approval_decided", "approval", ["chat"], "state <> 'open' AND NOT turn_settled"
    )
    partial_index("ix_approval_open", "approval", ["chat"], "state = 'open'")
    partial_index("ix_approval_overdue", "approval", ["expires_at"], "state = 'open'")
    partial_index(
        "ix_approval_pending",
        "approval",
        ["chat"],
        "(turn_settled = false OR (set_aside AND NOT reported))",
    )
    op.create_index("ix_approval_turn", "approval", ["turn"])


def create_artifact() -> None:
    op.create_table(
        "artifact",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_artifact_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_artifact"),
    )


def create_conversation() -> None:
    op.create_table(
        "conversation",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("opened_at", MOMENT, nullable=False),
        sa.Column("closed_at", MOMENT, nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_conversation_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_conversation"),
    )
    op.create_index("ix_conversation_closed", "conversation", ["chat", "closed_at"])


def create_entry() -> None:
    op.create_table(
        "entry",
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_entry_chat"),
        sa.PrimaryKeyConstraint("chat", "seq", name="pk_entry"),
    )
    op.create_index("ix_entry_conversation", "entry", ["conversation", "seq"])


def create_inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("received_at", MOMENT, nullable=False),
        sa.Column("chat", NUMBER, nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("turn", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_inbox_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_inbox"),
    )
    partial_index("ix_inbox_unrouted", "inbox", ["id"], "state = 'new'")
    partial_index("ix_inbox_waiting", "inbox", ["chat"], "state = 'waiting'")
    op.create_index("uq_inbox_channel", "inbox", ["channel", "key"], unique=True)


def create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("pieces", sa.Text(), nullable=False),
        sa.Column("message_ids", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_outbox_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("key", name="uq_outbox_key"),
    )
    partial_index("ix_outbox_owed", "outbox", ["chat"], "state = 'owed'")


def create_rule() -> None:
    op.create_table(
        "rule",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("pattern", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_rule_chat"),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name="fk_rule_person"),
        sa.PrimaryKeyConstraint("id", name="pk_rule"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rule_chat", "rule", ["chat", "person"])


def create_turn() -> None:
    op.create_table(
        "turn",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("asker", NUMBER, nullable=False),
        sa.Column("asker_name", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("approval", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("worked_ms", NUMBER, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("stop_asked", sa.Text(), nullable=True),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_turn_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_turn"),
    )
    partial_index("ix_turn_at_work", "turn", ["chat"], "state IN ('queued', 'running')")
    partial_index(
        "ix_turn_stopping", "turn", ["chat"], "state = 'parked' AND stop_asked IS NOT NULL"
    )
    partial_index("ix_turn_unsettled", "turn", ["chat"], "state <> 'settled'")


def create_usage() -> None:
    op.create_table(
        "usage",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("input", NUMBER, nullable=False),
        sa.Column("output", NUMBER, nullable=False),
        sa.Column("cache_read", NUMBER, nullable=False),
        sa.Column("cache_write", NUMBER, nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("call_type", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_usage_chat"),
        sa.PrimaryKeyConstraint("id", name="pk_usage"),
    )
    op.create_index("ix_usage_at", "usage", ["at"])
    op.create_index("ix_usage_chat", "usage", ["chat", "at"])


def create_sight() -> None:
    op.create_table(
        "sight",
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("outbox", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_sight_chat"),
        sa.ForeignKeyConstraint(["outbox"], ["outbox.id"], name="fk_sight_outbox"),
        sa.PrimaryKeyConstraint("chat", "message_id", name="pk_sight"),
    )


def upgrade() -> None:
    create_audit()
    create_chat()
    create_greeting()
    create_pairing()
    create_person()
    create_verdict()
    create_account()
    create_approval()
    create_artifact()
    create_conversation()
    create_entry()
    create_inbox()
    create_outbox()
    create_rule()
    create_turn()
    create_usage()
    create_sight()


def downgrade() -> None:
    for table in (
        "sight",
        "usage",
        "turn",
        "rule",
        "outbox",
        "inbox",
        "entry",
        "conversation",
        "artifact",
        "approval",
        "account",
        "verdict",
        "person",
        "pairing",
        "greeting",
        "chat",
        "audit",
    ):
        op.drop_table(table)
