"""Erases what turns left outside of the log, of all of them at once.

Each statement is about many turns: one for each turn would look through all messages as often as
there are turns, and everybody would wait for it.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.marked import erase_of_turns
from bot.adapters.sql.portions import portions
from bot.adapters.sql.tables import approval, artifact, hearing, inbox, outbox, turn
from bot.domain.change.erasing import TOLD, erased_card, erased_message
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.tools.call_words import CALLS

SHOWN_CALLS = CALLS.removesuffix(":")
"""The beginning of the keys of messages that show the calls of a turn."""

_KINDS = (*TOLD, "send", "said", "goal", "undo", SHOWN_CALLS)
"""Beginnings of the keys of messages that name a turn behind them."""

_HEARD, _CARD = "heard", "card"
_ENDS = ":@"
"""Signs behind the id in a key."""

_KEYS = select(outbox.c.id, outbox.c.key)
_SHOWN = select(outbox.c.id, outbox.c.content).where(
    outbox.c.id.in_(bindparam("some", expanding=True))
)
_BLANK = (
    update(outbox)
    .where(outbox.c.id == bindparam("number"))
    .values(
        content=bindparam("left", type_=outbox.c.content.type),
        pieces=bindparam("none", type_=outbox.c.pieces.type),
    )
)
_CARDS = select(*columns(approval, Approval)).where(
    approval.c.turn.in_(bindparam("some", expanding=True)),
    approval.c.state != ApprovalState.OPEN,
)
_SENT = select(inbox.c.id, inbox.c.chat, inbox.c.message_id).where(
    inbox.c.turn.in_(bindparam("some", expanding=True))
)
_ASKED_IN = select(turn.c.said).where(
    turn.c.id.in_(bindparam("some", expanding=True)), turn.c.origin == "undo"
)
"""The keys of the messages that asked for an undo, which name the files too."""

_HEARINGS = select(hearing.c.chat, hearing.c.key)


def erase_turns(connection: Connection, ids: Set[str], mark: str) -> None:
    """Erases the rows of these turns, and the messages, cards and texts kept aside."""
    asked = set[str]()
    sent = set[tuple[int | None, str]]()
    rows = set[str]()
    for some in portions(sorted(ids)):
        asked.update(connection.execute(_ASKED_IN, {"some": some}).scalars())
        for row, within, message in connection.execute(_SENT, {"some": some}):
            rows.add(str(row))
            sent.add((within, str(message)))
        erase_of_turns(connection, some, mark)
    erase_told(connection, dict.fromkeys(_KINDS, ids) | {_HEARD: rows}, mark, asked)
    _forget_heard(connection, sent)
    _erase_aside(connection, ids, mark)
    erase_cards(connection, cards_of(connection, ids), mark)


def erase_told(
    connection: Connection,
    about: Mapping[str, Set[str]],
    mark: str,
    keys: Set[str] = frozenset(),
) -> None:
    """Erases the messages with these keys, and those that are about one of these ids.

    `about` holds the ids for each beginning of a key.
    """
    if not keys and not any(about.values()):
        return
    found = connection.execute(_KEYS).all()
    erase_messages_of(
        connection, [n for n, key in found if key in keys or _names(key, about)], mark
    )


def erase_messages_of(connection: Connection, numbers: Iterable[int], mark: str) -> None:
    """Erases the words of these messages; what stands on a screen stays there."""
    for some in portions(numbers):
        shown = connection.execute(_SHOWN, {"some": some}).all()
        left: list[dict[str, Any]] = [
            {"number": number, "left": erased_message(content, mark), "none": ()}
            for number, content in shown
        ]
        if left:
            connection.execute(_BLANK, left)


def cards_of(connection: Connection, turns: Iterable[str]) -> list[Approval]:
    """Returns the decided cards of these turns."""
    return [
        Approval(*row)
        for some in portions(sorted(turns))
        for row in connection.execute(_CARDS, {"some": some})
    ]


def erase_cards(connection: Connection, cards: Iterable[Approval], mark: str) -> None:
    ids = set[str]()
    for card in cards:
        ids.add(card.id)
        left = values(erased_card(card, mark), names(Approval))
        kept = {name: left[name] for name in ("call", "preview", "purpose", "reason")}
        connection.execute(update(approval).where(approval.c.id == card.id).values(kept))
    erase_told(connection, {_CARD: ids}, mark)


def _names(key: str, about: Mapping[str, Set[str]]) -> bool:
    """Returns True for a key that is a beginning, one of its ids, and perhaps more behind it."""
    kind, _, rest = key.partition(":")
    ids = about.get(kind)
    return bool(ids) and (rest in ids or any(head in ids for head in _heads(rest, _ENDS)))


def _heads(text: str, signs: str) -> Iterator[str]:
    """Yields the parts of a text before each of these signs."""
    return (text[:n] for n, sign in enumerate(text) if sign in signs)


def _erase_aside(connection: Connection, ids: Set[str], mark: str) -> None:
    """Erases the texts that were too long; each is named by its turn and a number."""
    named = connection.execute(select(artifact.c.id)).scalars()
    own = [one for one in named if not ids.isdisjoint(_heads(one, "-"))]
    for some in portions(own):
        connection.execute(update(artifact).where(artifact.c.id.in_(some)).values(text=mark))


def _forget_heard(connection: Connection, sent: Set[tuple[int | None, str]]) -> None:
    """Forgets the words of recordings that came with these messages."""
    found = connection.execute(_HEARINGS).all() if sent else ()
    for within, key in found:
        if any((within, message) in sent for message in _heads(key, "/")):
            gone = hearing.delete().where(hearing.c.chat == within, hearing.c.key == key)
            connection.execute(gone)
