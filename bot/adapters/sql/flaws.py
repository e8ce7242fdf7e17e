"""Rules that have to hold between rows, as statements that find the rows where they do not.

Each statement runs on both databases and returns the names of the rows at fault.
"""

from collections.abc import Sequence

from bot.domain.value import frozen


@frozen
class Rule:
    """A statement that finds rows at fault, the sentence about them, and what mends them."""

    find: str
    told: str
    """A sentence; `{rows}` are their number and the first names."""
    mend: tuple[str, ...] = ()
    """Statements that set it right; none where only a person can."""


_LAST = "SELECT coalesce(max(entry.seq), 0) FROM entry WHERE entry.chat = chat.id"
_SETTLED = "SELECT turn.state = 'settled' FROM turn WHERE turn.id = approval.turn"


def _lost(table: str, column: str, named: str, shown: str) -> str:
    """Returns a statement that finds rows which name a turn that is not there."""
    return (
        f"SELECT {shown} FROM {table} WHERE {column} {named}"
        f" AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.id = {table}.{column})"
    )


RULES: Sequence[Rule] = (
    Rule(
        f"SELECT id FROM chat WHERE last_seq <> ({_LAST})",
        "The log of a chat does not end where its row says: {rows}.",
        (f"UPDATE chat SET last_seq = ({_LAST}) WHERE last_seq <> ({_LAST})",),
    ),
    Rule(
        "SELECT id FROM chat WHERE fence < 1 AND last_seq > 0",
        "A chat has a log and was never owned by a process: {rows}.",
        ("UPDATE chat SET fence = 1 WHERE fence < 1 AND last_seq > 0",),
    ),
    Rule(
        _lost("entry", "turn", "<> ''", "entry.chat || '/' || entry.seq"),
        "The log has lines of a turn that is missing: {rows}.",
    ),
    Rule(
        _lost("approval", "turn", "<> ''", "approval.id"),
        "A card belongs to a turn that is missing: {rows}.",
    ),
    Rule(
        _lost("inbox", "turn", "IS NOT NULL", "inbox.key"),
        "A message was taken by a turn that is missing: {rows}.",
    ),
    Rule(
        "SELECT id FROM turn WHERE (state = 'settled') <> (stop_reason IS NOT NULL)",
        "A turn is over without a reason, or has one while it goes on: {rows}.",
    ),
    Rule(
        f"SELECT id FROM approval WHERE turn_settled <> ({_SETTLED})",
        "A card does not know the state of its turn: {rows}.",
        (f"UPDATE approval SET turn_settled = ({_SETTLED}) WHERE turn_settled <> ({_SETTLED})",),
    ),
    Rule(
        "SELECT id FROM approval WHERE state = 'open' AND turn_settled AND NOT set_aside",
        "A card is open though its turn is over: {rows}.",
        (
            "UPDATE approval SET set_aside = true"
            " WHERE state = 'open' AND turn_settled AND NOT set_aside",
        ),
    ),
    Rule(
        "SELECT key FROM outbox WHERE state = 'shown' AND shown_version < version",
        "A message counts as shown, and its newest words were not: {rows}.",
        (
            "UPDATE outbox SET state = 'owed', attempts = 0"
            " WHERE state = 'shown' AND shown_version < version",
        ),
    ),
    Rule(
        "SELECT key FROM outbox WHERE shown_version > version",
        "A message was shown in a version that it does not have: {rows}.",
        ("UPDATE outbox SET version = shown_version WHERE shown_version > version",),
    ),
    Rule(
        "SELECT key FROM outbox WHERE copy_of IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM outbox AS first WHERE first.id = outbox.copy_of)",
        "A message is the copy of one that is missing: {rows}.",
        (
            "UPDATE outbox SET copy_of = NULL WHERE copy_of IS NOT NULL"
            " AND NOT EXISTS (SELECT 1 FROM outbox AS first WHERE first.id = outbox.copy_of)",
        ),
    ),
    Rule(
        "SELECT id FROM plan WHERE state IN ('ready', 'approved', 'executing') AND NOT EXISTS"
        " (SELECT 1 FROM plan_step WHERE plan_step.plan = plan.id"
        " AND plan_step.revision = plan.revision)",
        "A plan that is to be carried out has no step: {rows}.",
    ),
    Rule(
        "SELECT chat FROM plan WHERE state IN ('collecting', 'ready', 'approved', 'executing')"
        " GROUP BY chat HAVING count(*) > 1",
        "A chat has several live plans: {rows}.",
    ),
    Rule(
        "SELECT id FROM passage WHERE indexed AND NOT EXISTS"
        " (SELECT 1 FROM {held} WHERE {held}.{number} = passage.number)",
        "An answer counts as indexed, and the index of words does not have it: {rows}.",
        (
            "UPDATE passage SET indexed = false WHERE indexed AND NOT EXISTS"
            " (SELECT 1 FROM {held} WHERE {held}.{number} = passage.number)",
        ),
    ),
    Rule(
        "SELECT {number} FROM {held} WHERE NOT EXISTS"
        " (SELECT 1 FROM passage WHERE passage.number = {held}.{number})",
        "The index of words has words of answers that are gone: {rows}.",
        (
            "DELETE FROM passage_words WHERE {own} IN (SELECT {number} FROM {held}"
            " WHERE NOT EXISTS (SELECT 1 FROM passage WHERE passage.number = {held}.{number}))",
        ),
    ),
)
"""`held` and `number` are the rows of the index of words, `own` is their number in its table."""
