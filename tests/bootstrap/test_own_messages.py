"""A change of a message stands in the place of what it changes, whatever else was said."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.bootstrap.own_messages import own_messages
from bot.domain.change import InboundState
from bot.domain.talk.message import Address, InboundMessage
from bot.domain.talk.person import Sender
from bot.ports.inbox import InboundRow

_BEGIN = datetime(2027, 1, 5, tzinfo=UTC)
_HERE = Address("telegram", "42")


def _row(id: int, state: InboundState = InboundState.DONE) -> InboundRow:
    at = _BEGIN + timedelta(seconds=id)
    return InboundRow(id, "telegram", str(id), f"body {id}", state, at)


@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=12))
def test_each_message_stands_once_with_its_newest_words(said: list[tuple[int, bool]]) -> None:
    """Each pair is the number of a message, and if it is a change of it."""
    first: set[int] = set()
    rows, messages = list[InboundRow](), dict[int, InboundMessage]()
    for id, (number, change) in enumerate(said, start=1):
        edited = change or number in first
        first |= set() if edited else {number}
        sender, row = Sender("telegram", "42", "Ann"), _row(id)
        words = (_HERE, sender, str(number), f"words {id}", row.received_at)
        messages[id] = InboundMessage(*words, edited=edited)
        rows.insert(0, row)
    told = own_messages(rows, lambda row: messages[row.id])
    shown = [one.message.message_id for one in told]
    for number in first:
        # Its newest words stand where its first words stood.
        assert shown.count(str(number)) == 1
        one = next(one for one in told if one.message.message_id == str(number))
        newest = max(id for id, m in messages.items() if m.message_id == str(number))
        assert one.message.text == f"words {newest}"
        assert not messages[one.row.id].edited
    alone = [id for id, m in messages.items() if int(m.message_id) not in first]
    assert len(told) == len(first) + len(alone)
    assert [one.row.id for one in told] == sorted((one.row.id for one in told), reverse=True)


def test_words_that_wait_have_a_number_that_changes_with_them() -> None:
    message = InboundMessage(_HERE, Sender("telegram", "42", "Ann"), "1", "words", _BEGIN)
    waits, done = _row(1, InboundState.WAITING), _row(2)
    found = own_messages([done, waits], lambda _: message)
    assert [bool(one.waits) for one in found] == [False, True]
