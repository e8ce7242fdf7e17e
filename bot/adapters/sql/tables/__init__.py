"""The tables, and the conditions their partial indexes share with the statements.

SQLite uses a partial index only for a statement that repeats the index's condition exactly, so
each condition stands here once, as text. Columns carry the names of the domain's fields, whose
sentences stand in the domain.
"""

from bot.adapters.sql.tables.approvals import (
    DECIDED,
    FOR_OWNERS,
    OPEN,
    PENDING,
    PENDING_CARDS,
    approval,
    consent,
    rule,
)
from bot.adapters.sql.tables.chats import BRANCHES, OPENABLE, chat, conversation
from bot.adapters.sql.tables.declaring import METADATA, whole_metadata
from bot.adapters.sql.tables.descriptions import description
from bot.adapters.sql.tables.errands import BROUGHT, UNTAKEN, errand
from bot.adapters.sql.tables.file_changes import file_change
from bot.adapters.sql.tables.goals import diary, goal, goal_turn
from bot.adapters.sql.tables.hooks import KEYED, SEALED, hook_call
from bot.adapters.sql.tables.log import artifact, entry
from bot.adapters.sql.tables.memory import UNINDEXED, UNMEANT, leaving, meaning, note, passage, past
from bot.adapters.sql.tables.messages import ABOUT, COPIES, OWED, outbox, sight
from bot.adapters.sql.tables.money import budget, usage
from bot.adapters.sql.tables.opinions import feedback
from bot.adapters.sql.tables.people import account, greeting, pairing, person
from bot.adapters.sql.tables.plans import PLANNED, plan, plan_step
from bot.adapters.sql.tables.received_files import KEPT, hearing, received
from bot.adapters.sql.tables.record import RAN, audit
from bot.adapters.sql.tables.tasks import NOT_OVER, OF_GOAL, SCHEDULED, TRIED_AGAIN, run, task
from bot.adapters.sql.tables.turns import AT_WORK, LEADS_ON, STOPPING, UNSETTLED, turn, verdict
from bot.adapters.sql.tables.updates import COUNTED, HEARD, KNOWN, UNROUTED, WAITING, inbox
from bot.adapters.sql.tables.voice import voice_note

__all__ = [
    "ABOUT",
    "AT_WORK",
    "BRANCHES",
    "BROUGHT",
    "COPIES",
    "COUNTED",
    "DECIDED",
    "FOR_OWNERS",
    "HEARD",
    "KEPT",
    "KEYED",
    "KNOWN",
    "LEADS_ON",
    "METADATA",
    "NOT_OVER",
    "OF_GOAL",
    "OPEN",
    "OPENABLE",
    "OWED",
    "PENDING",
    "PENDING_CARDS",
    "PLANNED",
    "RAN",
    "SCHEDULED",
    "SEALED",
    "STOPPING",
    "TRIED_AGAIN",
    "UNINDEXED",
    "UNMEANT",
    "UNROUTED",
    "UNSETTLED",
    "UNTAKEN",
    "WAITING",
    "account",
    "approval",
    "artifact",
    "audit",
    "budget",
    "chat",
    "consent",
    "conversation",
    "description",
    "diary",
    "entry",
    "errand",
    "feedback",
    "file_change",
    "goal",
    "goal_turn",
    "greeting",
    "hearing",
    "hook_call",
    "inbox",
    "leaving",
    "meaning",
    "note",
    "outbox",
    "pairing",
    "passage",
    "past",
    "person",
    "plan",
    "plan_step",
    "received",
    "rule",
    "run",
    "sight",
    "task",
    "turn",
    "usage",
    "verdict",
    "voice_note",
    "whole_metadata",
]
