"""Erases what turns left outside of the log, of all of them at once.

Each statement is about many turns: one for each turn would look through all messages as often as
there are turns, and everybody would wait for it.
"""

from collections.abc import Iterable, Set
from typing import Any

from sqlalchemy import Connection, Text, bindparam, cast, literal, select, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.marked import erase_of_turns
from bot.adapters.sql.portions import portions
from bot.adapters.sql.tables import ABOUT, approval, inbox, outbox, turn
from bot.domain.change.erasing import ECHOES, erased_card, erased_message
from bot.domain.consent.approval import Approval, ApprovalState
from bot.ports.outbox import DeliveryState

_SOME = bindparam("some", expanding=True)
_TOLD = select(outbox.c.id).where(ABOUT, outbox.c.about.in_(_SOME))
_KEYED = select(outbox.c.id).where(outbox.c.key.in_(_SOME))
_SHOWN = select(outbox.c.id, outbox.c.content).where(outbox.c.id.in_(_SOME))
_BLANK = (
    update(outbox)
    .where(outbox.c.id == bindparam("number"))
    .values(
        content=bindparam("left", type_=outbox.c.content.type),
        pieces=bindparam("none", type_=outbox.c.pieces.type),
    )
)
_TURNED = (
    update(outbox)
    .where(outbox.c.id.in_(_SOME), outbox.c.state == DeliveryState.SHOWN)
    # Both at once: nothing is owed to a platform, and an open page sees another version.
    .values(version=outbox.c.version + 1, shown_version=outbox.c.shown_version + 1)
)
_CARDS = select(*columns(approval, Approval)).where(
    approval.c.turn.in_(_SOME), approval.c.state != ApprovalState.OPEN
)
_STILL_OPEN = (
    update(approval)
    .where(approval.c.turn.in_(_SOME), approval.c.state == ApprovalState.OPEN)
    .values(purpose=bindparam("mark"))
)
"""Such a card keeps what it is about until it is decided: the mark tells of it then."""

_ASKED_IN = select(turn.c.said).where(turn.c.id.in_(_SOME), turn.c.origin == "undo")
"""The keys of the messages that asked for an undo, which name the files too."""

_ECHOED = select(literal(ECHOES) + cast(inbox.c.id, Text)).where(inbox.c.turn.in_(_SOME))
"""The keys of the messages that show what was written elsewhere."""


def erase_turns(connection: Connection, ids: Set[str], mark: str) -> None:
    """Erases the rows of these turns, and the messages, cards and texts kept aside."""
    asked = set[str]()
    for some in portions(sorted(ids)):
        for named in (_ASKED_IN, _ECHOED):
            asked.update(connection.execute(named, {"some": some}).scalars())
        erase_of_turns(connection, some, mark)
        connection.execute(_STILL_OPEN, {"some": some, "mark": mark})
    for some in portions(sorted(asked)):
        erase_messages_of(connection, connection.execute(_KEYED, {"some": some}).scalars(), mark)
    erase_told(connection, ids, mark)
    erase_cards(connection, cards_of(connection, ids), mark)


def erase_told(connection: Connection, about: Set[str], mark: str, begins: str = "") -> None:
    """Erases the messages about these turns, cards or plans whose keys begin so."""
    wanted = _TOLD.where(outbox.c.key.startswith(begins)) if begins else _TOLD
    for some in portions(sorted(about)):
        erase_messages_of(connection, connection.execute(wanted, {"some": some}).scalars(), mark)


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
            connection.execute(_TURNED, {"some": some})


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
    erase_told(connection, ids, mark)
