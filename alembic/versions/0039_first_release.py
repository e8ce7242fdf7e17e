"""Every table of the first release."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.DateTime(timezone=True)


def partial_index(
    name: str, table: str, columns: list[str], where: str, *, unique: bool = False
) -> None:
    condition = sa.text(where)
    op.create_index(
        name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition
    )


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


def create_budget() -> None:
    op.create_table(
        "budget",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("money", NUMBER, nullable=True),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("scope", name="pk_budget"),
    )


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
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("activation", sa.Text(), server_default="mention", nullable=False),
        sa.Column("listens", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("moved_from", sa.Text(), nullable=True),
        sa.Column("long_answers", sa.Text(), server_default="messages", nullable=False),
        sa.Column("previews", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("footer", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("verbose", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=True),
        sa.Column("skill_lent", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("offered", sa.Text(), nullable=True),
        sa.Column("voice", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("threads", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("screen", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_chat"),
        sa.UniqueConstraint("address", name="uq_chat_address"),
    )


def create_consent() -> None:
    op.create_table(
        "consent",
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("server", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("given_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("identity", name="pk_consent"),
    )


def create_description() -> None:
    op.create_table(
        "description",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_description"),
    )


def create_greeting() -> None:
    op.create_table(
        "greeting",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_greeting"),
    )


def create_leaving() -> None:
    op.create_table(
        "leaving",
        sa.Column("number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("whose", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", "whose", name="pk_leaving"),
    )


def create_meaning() -> None:
    op.create_table(
        "meaning",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=True),
        sa.Column("weighed", NUMBER, server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_meaning"),
    )


def create_note() -> None:
    op.create_table(
        "note",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("whose", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("speaker", sa.Text(), nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_note"),
    )
    op.create_index("ix_note_whose", "note", ["whose", "at"])


def create_pairing() -> None:
    op.create_table(
        "pairing",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_pairing"),
    )


def create_past() -> None:
    op.create_table(
        "past",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("ended", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_past"),
    )


def create_person() -> None:
    op.create_table(
        "person",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("rights", sa.Text(), server_default="{}", nullable=False),
        sa.Column("pace", sa.Text(), nullable=True),
        sa.Column("about", sa.Text(), server_default="", nullable=False),
        sa.Column("timezone", sa.Text(), nullable=True),
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
        sa.PrimaryKeyConstraint("key", name="pk_account"),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name="fk_account_person"),
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
        sa.Column("asker_name", sa.Text(), server_default="", nullable=False),
        sa.Column("owner_chats", sa.Text(), server_default="[]", nullable=False),
        sa.Column("home", NUMBER, nullable=True),
        sa.Column("asked_with", sa.Text(), server_default="", nullable=False),
        sa.Column("turn_settled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_approval"),
        sa.UniqueConstraint("token", name="uq_approval_token"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_approval_chat"),
    )
    partial_index(
        "ix_approval_decided", "approval", ["chat"], "state <> 'open' AND NOT turn_settled"
    )
    partial_index(
        "ix_approval_for_owners",
        "approval",
        ["created_at"],
        "state = 'open' AND owner_chats <> '[]'",
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
        sa.PrimaryKeyConstraint("id", name="pk_artifact"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_artifact_chat"),
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
        sa.Column("parent", sa.Text(), nullable=True),
        sa.Column("shared", NUMBER, server_default="0", nullable=False),
        sa.Column("in_use", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_conversation"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_conversation_chat"),
    )
    partial_index("ix_conversation_branches", "conversation", ["parent"], "parent IS NOT NULL")
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
        sa.PrimaryKeyConstraint("chat", "seq", name="pk_entry"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_entry_chat"),
    )
    op.create_index("ix_entry_conversation", "entry", ["conversation", "seq"])


def create_errand() -> None:
    op.create_table(
        "errand",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("home", NUMBER, nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("parent", sa.Text(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("asker", NUMBER, nullable=False),
        sa.Column("asker_name", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("set_aside", sa.Boolean(), nullable=False),
        sa.Column("recalled", sa.Boolean(), nullable=False),
        sa.Column("taken", sa.Boolean(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_errand"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_errand_chat"),
        sa.ForeignKeyConstraint(["home"], ["chat.id"], name="fk_errand_home"),
    )
    partial_index("ix_errand_brought", "errand", ["chat"], "state = 'done' AND NOT taken")
    op.create_index("ix_errand_parent", "errand", ["parent"])
    partial_index("ix_errand_untaken", "errand", ["chat"], "NOT taken")
    op.create_index("uq_errand_home", "errand", ["home"], unique=True)


def create_feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("turn", "person", name="pk_feedback"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_feedback_chat"),
    )
    op.create_index("ix_feedback_at", "feedback", ["at"])
    op.create_index("ix_feedback_chat", "feedback", ["chat"])
    op.create_index("ix_feedback_person", "feedback", ["person"])


def create_file_change() -> None:
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
        sa.PrimaryKeyConstraint("number", name="pk_file_change"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_file_change_chat"),
    )
    op.create_index("ix_file_change_by", "file_change", ["by"])
    op.create_index("ix_file_change_chat", "file_change", ["chat", "number"])
    op.create_index("ix_file_change_task", "file_change", ["task"])
    op.create_index("uq_file_change_id", "file_change", ["id"], unique=True)


def create_goal() -> None:
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
        sa.PrimaryKeyConstraint("id", name="pk_goal"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_goal_chat"),
    )
    op.create_index("ix_goal_asker", "goal", ["asker"])
    op.create_index("ix_goal_chat", "goal", ["chat"])


def create_hearing() -> None:
    op.create_table(
        "hearing",
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("chat", "key", name="pk_hearing"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_hearing_chat"),
    )


def create_hook_call() -> None:
    op.create_table(
        "hook_call",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hook", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("allowed", sa.Text(), nullable=False),
        sa.Column("fresh", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), server_default="1", nullable=False),
        sa.Column("again_at", MOMENT, nullable=True),
        sa.Column("seal", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_hook_call"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_hook_call_chat"),
    )
    partial_index("ix_hook_call_again", "hook_call", ["again_at"], "state = 'again'")
    op.create_index("ix_hook_call_at", "hook_call", ["hook", "at"])
    op.create_index("ix_hook_call_when", "hook_call", ["at"])
    partial_index("uq_hook_call_key", "hook_call", ["hook", "key"], "key <> ''", unique=True)
    partial_index("uq_hook_call_seal", "hook_call", ["seal"], "seal <> ''", unique=True)
    op.create_index("uq_hook_call_turn", "hook_call", ["turn"], unique=True)


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
        sa.Column("person", NUMBER, nullable=True),
        sa.Column("fragment", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("owner", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_inbox"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_inbox_chat"),
    )
    partial_index(
        "ix_inbox_counted",
        "inbox",
        ["person", "received_at"],
        "person IS NOT NULL AND NOT fragment",
    )
    partial_index("ix_inbox_heard", "inbox", ["chat"], "state = 'heard'")
    partial_index("ix_inbox_message", "inbox", ["chat", "message_id"], "state = 'waiting'")
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
        sa.Column("copy_of", NUMBER, nullable=True),
        sa.Column("maker", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("key", name="uq_outbox_key"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_outbox_chat"),
    )
    partial_index("ix_outbox_copy", "outbox", ["copy_of"], "copy_of IS NOT NULL")
    partial_index("ix_outbox_owed", "outbox", ["chat"], "state = 'owed'")


def create_passage() -> None:
    op.create_table(
        "passage",
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("whose", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("person", NUMBER, nullable=False),
        sa.Column("speaker", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=True),
        sa.Column("conversation", sa.Text(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=True),
        sa.Column("untrusted", sa.Text(), nullable=True),
        sa.Column("origins", sa.Text(), server_default="", nullable=False),
        sa.Column("indexed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("meant", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_passage"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_passage_chat_chat"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passage_conversation", "passage", ["conversation", "number"])
    partial_index("ix_passage_unindexed", "passage", ["number"], "NOT indexed")
    partial_index("ix_passage_unmeant", "passage", ["number"], "NOT meant")
    op.create_index("ix_passage_whose", "passage", ["whose", "at"])
    op.create_index("uq_passage_id", "passage", ["id"], unique=True)


def create_plan() -> None:
    op.create_table(
        "plan",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("asker", NUMBER, nullable=False),
        sa.Column("asker_name", sa.Text(), nullable=False),
        sa.Column("collector", NUMBER, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("since", MOMENT, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("wish", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=True),
        sa.Column("decider_name", sa.Text(), nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("owner_chats", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_plan"),
        sa.UniqueConstraint("token", name="uq_plan_token"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_plan_chat_chat"),
    )
    op.create_index("ix_plan_chat", "plan", ["chat", "created_at"])
    partial_index(
        "uq_plan_live",
        "plan",
        ["chat"],
        "state IN ('collecting', 'ready', 'approved', 'executing')",
        unique=True,
    )


def create_received() -> None:
    op.create_table(
        "received",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("folder", sa.LargeBinary(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("size", NUMBER, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("kept_at", MOMENT, nullable=False),
        sa.Column("swept", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_received"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_received_chat_chat"),
    )
    partial_index("ix_received_kept", "received", ["id"], "NOT swept")
    op.create_index("ix_received_size", "received", ["size"])
    op.create_index("uq_received_chat", "received", ["chat", "key"], unique=True)


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
        sa.Column("surroundings", sa.Text(), server_default="{}", nullable=False),
        sa.Column("under", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rule"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_rule_chat"),
        sa.ForeignKeyConstraint(["person"], ["person.id"], name="fk_rule_person"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rule_chat", "rule", ["chat", "person"])


def create_task() -> None:
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
        sa.Column("mandate", sa.Text(), server_default="{}", nullable=False),
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
        sa.Column("goal", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_task"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_task_chat"),
        sa.ForeignKeyConstraint(["home"], ["chat.id"], name="fk_task_home"),
    )
    op.create_index("ix_task_asker", "task", ["asker"])
    op.create_index("ix_task_chat", "task", ["chat"])
    partial_index("ix_task_due", "task", ["due"], "state = 'active' AND due IS NOT NULL")
    partial_index("ix_task_goal", "task", ["goal"], "goal IS NOT NULL")
    op.create_index("ix_task_home", "task", ["home"])
    partial_index("ix_task_planned", "task", ["planned_at"], "state = 'active' AND due IS NOT NULL")


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
        sa.Column("mandate", sa.Text(), server_default="{}", nullable=False),
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
        sa.Column("skill", sa.Text(), nullable=True),
        sa.Column("stages", sa.Integer(), server_default="0", nullable=False),
        sa.Column("rests", sa.Integer(), server_default="0", nullable=False),
        sa.Column("rests_until", MOMENT, nullable=True),
        sa.Column("begun", sa.Integer(), server_default="0", nullable=False),
        sa.Column("held_back", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("ways_on", sa.Text(), server_default="none", nullable=False),
        sa.Column("follows", sa.Text(), nullable=True),
        sa.Column("way", sa.Text(), nullable=True),
        sa.Column("said", sa.Text(), server_default="", nullable=False),
        sa.Column("parent", sa.Text(), nullable=True),
        sa.Column("owner", NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_turn"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_turn_chat"),
    )
    partial_index("ix_turn_at_work", "turn", ["chat"], "state IN ('queued', 'running', 'resting')")
    partial_index(
        "ix_turn_stopping", "turn", ["chat"], "state = 'parked' AND stop_asked IS NOT NULL"
    )
    partial_index("ix_turn_unsettled", "turn", ["chat"], "state <> 'settled'")
    partial_index("ix_turn_ways_on", "turn", ["chat"], "ways_on = 'open'")


def create_usage() -> None:
    op.create_table(
        "usage",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=True),
        sa.Column("person", NUMBER, nullable=True),
        sa.Column("skill", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("input", NUMBER, nullable=False),
        sa.Column("output", NUMBER, nullable=False),
        sa.Column("cache_read", NUMBER, nullable=False),
        sa.Column("cache_write", NUMBER, nullable=False),
        sa.Column("cost", NUMBER, nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("estimated", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_usage"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_usage_chat"),
    )
    op.create_index("ix_usage_at", "usage", ["at"])
    op.create_index("ix_usage_chat", "usage", ["chat", "at"])
    op.create_index("ix_usage_person", "usage", ["person", "at"])
    op.create_index("ix_usage_turn", "usage", ["turn"])
    op.create_index("uq_usage_call", "usage", ["call"], unique=True)


def create_voice_note() -> None:
    op.create_table(
        "voice_note",
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("turn", name="pk_voice_note"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_voice_note_chat"),
    )


def create_diary() -> None:
    op.create_table(
        "diary",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("untrusted", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_diary"),
        sa.ForeignKeyConstraint(["goal"], ["goal.id"], name="fk_diary_goal"),
    )
    op.create_index("ix_diary_goal", "diary", ["goal", "at"])
    op.create_index("ix_diary_turn", "diary", ["turn"])


def create_goal_turn() -> None:
    op.create_table(
        "goal_turn",
        sa.Column("turn", sa.Text(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("turn", name="pk_goal_turn"),
        sa.ForeignKeyConstraint(["goal"], ["goal.id"], name="fk_goal_turn_goal"),
    )
    op.create_index("ix_goal_turn_goal", "goal_turn", ["goal"])


def create_plan_step() -> None:
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
        sa.Column("skill", sa.Text(), nullable=True),
        sa.Column("lender", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("plan", "revision", "number", name="pk_plan_step"),
        sa.ForeignKeyConstraint(["plan"], ["plan.id"], name="fk_plan_step_plan_plan"),
    )


def create_run() -> None:
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
        sa.PrimaryKeyConstraint("task", "due", name="pk_run"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_run_chat"),
        sa.ForeignKeyConstraint(["task"], ["task.id"], name="fk_run_task"),
    )
    partial_index("ix_run_again", "run", ["again_at"], "state = 'again'")
    op.create_index("ix_run_at", "run", ["task", "at"])
    partial_index(
        "ix_run_not_over", "run", ["task"], "state IN ('queued', 'running', 'waiting', 'again')"
    )
    op.create_index("uq_run_turn", "run", ["turn"], unique=True)


def create_sight() -> None:
    op.create_table(
        "sight",
        sa.Column("chat", NUMBER, nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("outbox", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("chat", "message_id", name="pk_sight"),
        sa.ForeignKeyConstraint(["chat"], ["chat.id"], name="fk_sight_chat"),
        sa.ForeignKeyConstraint(["outbox"], ["outbox.id"], name="fk_sight_outbox"),
    )


TABLES = (
    "audit",
    "budget",
    "chat",
    "consent",
    "description",
    "greeting",
    "leaving",
    "meaning",
    "note",
    "pairing",
    "past",
    "person",
    "verdict",
    "account",
    "approval",
    "artifact",
    "conversation",
    "entry",
    "errand",
    "feedback",
    "file_change",
    "goal",
    "hearing",
    "hook_call",
    "inbox",
    "outbox",
    "passage",
    "plan",
    "received",
    "rule",
    "task",
    "turn",
    "usage",
    "voice_note",
    "diary",
    "goal_turn",
    "plan_step",
    "run",
    "sight",
)
"""In an order in which each may name those before it."""


def upgrade() -> None:
    create_audit()
    create_budget()
    create_chat()
    create_consent()
    create_description()
    create_greeting()
    create_leaving()
    create_meaning()
    create_note()
    create_pairing()
    create_past()
    create_person()
    create_verdict()
    create_account()
    create_approval()
    create_artifact()
    create_conversation()
    create_entry()
    create_errand()
    create_feedback()
    create_file_change()
    create_goal()
    create_hearing()
    create_hook_call()
    create_inbox()
    create_outbox()
    create_passage()
    create_plan()
    create_received()
    create_rule()
    create_task()
    create_turn()
    create_usage()
    create_voice_note()
    create_diary()
    create_goal_turn()
    create_plan_step()
    create_run()
    create_sight()


def downgrade() -> None:
    for name in reversed(TABLES):
        op.drop_table(name)
