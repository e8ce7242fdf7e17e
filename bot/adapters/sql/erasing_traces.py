"""Erases what turns left outside of the log: messages, updates, plans, lines of the record."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal,
    or_,
    select,
    true,
    type_coerce,
    update,
)

from bot.adapters.sql.erasing_turns import erase_messages_of, erase_told
from bot.adapters.sql.portions import portions
from bot.adapters.sql.tables import (
    UNSETTLED,
    approval,
    audit,
    chat,
    conversation,
    inbox,
    outbox,
    passage,
    plan,
    plan_step,
    turn,
)
from bot.domain.change import InboundState
from bot.domain.change.erasing import BILL, COMMANDS, Target, billed, erased_line
from bot.domain.consent.approval import ApprovalState
from bot.domain.memory.passage import Whose, group_of, person_of
from bot.domain.plans.plan import LIVE
from bot.domain.tools.tool import Effect, Preview
from bot.ports.outbox import DeliveryState

_OF = bindparam("of")
_REMEMBERED = (
    select(passage.c.chat).where(passage.c.whose == _OF, passage.c.chat.is_not(None)).distinct()
)
_BY = bindparam("by")
_OTHERS = exists().where(passage.c.chat == chat.c.id, passage.c.whose != _OF)
# A private chat that was handed over belongs to the new person, whose passages tell it.
_PRIVATE = select(chat.c.id).where(
    chat.c.private,
    or_(
        exists().where(turn.c.chat == chat.c.id, turn.c.asker == _BY),
        exists().where(inbox.c.chat == chat.c.id, inbox.c.person == _BY),
    ),
    ~_OTHERS,
)
_ENDED = (InboundState.DONE, InboundState.DEAD, InboundState.DROPPED)
_ANSWERS = (
    select(outbox.c.id, inbox.c.id, type_coerce(outbox.c.content, Text).label("told"))
    .join_from(outbox, inbox, outbox.c.key == literal(COMMANDS) + cast(inbox.c.id, Text))
    .where(outbox.c.chat.in_(bindparam("chats", expanding=True)))
)
_QUESTIONS = select(passage.c.question).where(passage.c.id.in_(bindparam("ids", expanding=True)))
_LINES = select(audit.c.id, audit.c.action, audit.c.subject, audit.c.details)
_REWRITE = (
    update(audit)
    .where(audit.c.id == bindparam("line"))
    .values(
        subject=bindparam("told", type_=audit.c.subject.type),
        details=bindparam("left", type_=audit.c.details.type),
    )
)


def chats_of(connection: Connection, owner: Whose) -> list[int]:
    """Returns the chats whose words belong to somebody, also those that are not remembered."""
    group, person = group_of(owner), person_of(owner)
    found = set(connection.execute(_REMEMBERED, {"of": owner}).scalars())
    if group is not None:
        found.add(group)
    if person is not None:
        found.update(connection.execute(_PRIVATE, {"of": owner, "by": person}).scalars())
    return sorted(found)


def erase_messages(connection: Connection, chats: Sequence[int], mark: str) -> None:
    """Erases every message that is shown, and every update that is done.

    Open cards, live plans, the work under way and what is still owed stay as they are.
    """
    kept = _kept(connection, chats)
    wanted = select(outbox.c.id, outbox.c.about).where(
        outbox.c.chat.in_(chats), outbox.c.state != DeliveryState.OWED
    )
    gone = [id for id, about in connection.execute(wanted) if about not in kept]
    erase_messages_of(connection, gone, mark)
    done = update(inbox).where(inbox.c.chat.in_(chats), inbox.c.state.in_(_ENDED))
    connection.execute(done.values(body=""))


def erase_shown(connection: Connection, which: ColumnElement[bool], mark: str) -> None:
    """Erases the words of these messages; what stands on a screen stays there."""
    erase_messages_of(
        connection, connection.execute(select(outbox.c.id).where(which)).scalars(), mark
    )


def erase_commands(
    connection: Connection, passages: Set[str], chats: Sequence[int], mark: str
) -> None:
    """Erases the answers to commands that list one of these passages, and the commands.

    They name it by its id; a bill of tasks names it by the first words of its question.
    """
    rows = connection.execute(_ANSWERS, {"chats": chats}).all()
    begins = _beginnings(connection, passages)
    listing = [
        (number, row)
        for number, row, told in rows
        if (BILL in told and any(words in told for words in begins))
        or any(id in told for id in passages)
    ]
    erase_messages_of(connection, [number for number, _ in listing], mark)
    for some in portions(row for _, row in listing):
        asked = update(inbox).where(inbox.c.id.in_(some), inbox.c.state.in_(_ENDED))
        connection.execute(asked.values(body=""))


def _beginnings(connection: Connection, passages: Set[str]) -> set[str]:
    """Returns the first words of the questions of these passages, as a stored bill has them."""
    return {
        json.dumps(billed(question), ensure_ascii=False)[1:-1]
        for some in portions(passages)
        for question in connection.execute(_QUESTIONS, {"ids": some}).scalars()
        if question
    }


def erase_presses(connection: Connection) -> None:
    """Erases presses that an older version kept; each holds the message of its button.

    They belong to no chat, and nobody reads them again.
    """
    done = update(inbox).where(inbox.c.chat.is_(None), inbox.c.state == InboundState.DONE)
    connection.execute(done.values(body=""))


def _kept(connection: Connection, chats: Sequence[int]) -> set[str]:
    """Returns the ids of what goes on; its messages name them."""
    wanted = (
        select(turn.c.id).where(turn.c.chat.in_(chats), UNSETTLED),
        select(approval.c.id).where(
            approval.c.chat.in_(chats), approval.c.state == ApprovalState.OPEN
        ),
        select(plan.c.id).where(plan.c.chat.in_(chats), plan.c.state.in_(LIVE)),
    )
    return {id for one in wanted for id in connection.execute(one).scalars()}


def erase_plans(
    connection: Connection, target: Target, turns: set[str], chats: Sequence[int], mark: str
) -> set[str]:
    """Erases the words of ended plans and returns their ids; a live plan stays."""
    ended = select(plan.c.id).where(plan.c.state.not_in(LIVE))
    ids = {
        id
        for which in _of_plans(target, turns, chats)
        for id in connection.execute(ended.where(which)).scalars()
    }
    told: dict[str, Any] = {name: _left(plan.c[name], mark) for name in ("title", "summary")}
    told |= {"wish": _left(plan.c.wish, mark), "message": ""}
    for some in portions(ids):
        connection.execute(update(plan).where(plan.c.id.in_(some)).values(told))
        for effect in Effect:
            steps = update(plan_step).where(
                plan_step.c.plan.in_(some), plan_step.c.effect == effect
            )
            preview, outcome = Preview(mark, mark, effect), _left(plan_step.c.outcome, mark)
            gone = {"arguments": "{}", "description": mark, "preview": preview, "outcome": outcome}
            connection.execute(steps.values(gone))
    erase_told(connection, ids, mark)
    return ids


def _of_plans(
    target: Target, turns: set[str], chats: Sequence[int]
) -> Iterator[ColumnElement[bool]]:
    if target.turn is not None:
        yield plan.c.turn == target.turn
        return
    if target.conversation is None:
        yield plan.c.chat.in_(chats)
        return
    yield exists().where(
        conversation.c.id == target.conversation,
        conversation.c.chat == plan.c.chat,
        conversation.c.opened_at <= plan.c.created_at,
        func.coalesce(conversation.c.closed_at > plan.c.created_at, true()),
    )
    for some in portions(turns):
        yield plan.c.turn.in_(some)


def _left(words: Any, mark: str) -> Any:
    return case((words == "", ""), else_=mark)


def erase_record(
    connection: Connection, chats: Sequence[int], ids: Collection[str] | None, mark: str
) -> None:
    """Takes the words out of the record of these turns, cards and plans.

    None means of all but what is under way.
    """
    kept = _kept(connection, chats) if ids is None else set[str]()

    def goes(details: Mapping[str, Any]) -> bool:
        about = {details.get(name) for name in ("turn", "card", "plan")}
        return about.isdisjoint(kept) and (ids is None or not about.isdisjoint(ids))

    _rewrite_record(connection, chats, goes, mark)


def erase_record_of(
    connection: Connection, chats: Sequence[int], calls: Set[tuple[str, str]], mark: str
) -> None:
    """Takes the words out of the record of these calls, each told by its turn and its id."""

    def goes(details: Mapping[str, Any]) -> bool:
        return (details.get("turn"), details.get("call")) in calls

    if calls:
        _rewrite_record(connection, chats, goes, mark)


def _rewrite_record(
    connection: Connection,
    chats: Sequence[int],
    goes: Callable[[Mapping[str, Any]], bool],
    mark: str,
) -> None:
    changed: list[dict[str, Any]] = []
    for line, action, subject, details in connection.execute(
        _LINES.where(audit.c.chat.in_(chats))
    ).all():
        if not goes(details):
            continue
        told, left = erased_line(action, subject, details, mark)
        if (told, left) != (subject, details):
            changed.append({"line": line, "told": told, "left": left})
    if changed:
        connection.execute(_REWRITE, changed)
