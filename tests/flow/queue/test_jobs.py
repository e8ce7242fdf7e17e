"""What a chat does next: its oldest work first, and a parked turn only for news."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.change import InboundState
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.turn.turn import Turn, TurnState
from bot.flow.queue.jobs import Decisions, Open, SetAside, TakeUp, decisions, next_job
from bot.ports.inbox import InboundRow
from bot.ports.journal import Agenda
from tests.domain.logs import NOON, call, card, turn

CHAT = Chat(1, Address("terminal", "1"), "c1")
PARKED = turn("t1", state=TurnState.PARKED)
RUNNING = turn("t1")
QUEUED = turn("t2", state=TurnState.QUEUED)
GIVEN_UP = replace(turn("t0", state=TurnState.RESTING), stop_asked="Give up, by Ann")


def todo(
    unfinished: Sequence[Turn] = (),
    queued: Sequence[Turn] = (),
    approvals: Sequence[Approval] = (),
    waiting: Sequence[InboundRow] = (),
) -> Agenda:
    return Agenda(CHAT, tuple(unfinished), tuple(queued), tuple(approvals), tuple(waiting))


def row(id: int = 1) -> InboundRow:
    return InboundRow(id, "terminal", str(id), "{}", InboundState.WAITING, NOON, chat=1)


def carded(*states: ApprovalState) -> tuple[Approval, ...]:
    return tuple(card(call(id=f"call_{n}"), state) for n, state in enumerate(states))


def test_a_running_turn_goes_before_everything() -> None:
    agenda = todo((RUNNING,), (QUEUED,), waiting=(row(),))
    assert next_job(agenda, None) == TakeUp(RUNNING)


def test_queued_turns_go_before_waiting_messages_and_the_oldest_first() -> None:
    later = turn("t3", state=TurnState.QUEUED)
    assert next_job(todo((), (QUEUED, later), waiting=(row(),)), None) == TakeUp(QUEUED)
    assert next_job(todo(waiting=(row(1), row(2))), None) == Open(row(1))
    assert next_job(todo(), None) is None


def test_a_parked_turn_waits_while_its_cards_are_open() -> None:
    agenda = todo((PARKED,), approvals=carded(ApprovalState.OPEN))
    assert next_job(agenda, None) is None


def test_a_decided_card_moves_a_parked_turn_once() -> None:
    agenda = todo(
        (PARKED,), approvals=carded(ApprovalState.OPEN, ApprovalState.APPROVED), waiting=()
    )
    assert next_job(agenda, None) == TakeUp(PARKED)
    assert next_job(agenda, decisions(PARKED, agenda.approvals)) is None


def test_a_decision_goes_before_a_message() -> None:
    agenda = todo((PARKED,), approvals=carded(ApprovalState.DENIED), waiting=(row(),))
    assert next_job(agenda, None) == TakeUp(PARKED)


def test_a_message_or_a_queued_turn_sets_a_parked_one_aside() -> None:
    cards = carded(ApprovalState.OPEN)
    assert next_job(todo((PARKED,), approvals=cards, waiting=(row(),)), None) == SetAside(PARKED)
    assert next_job(todo((PARKED,), (QUEUED,), cards), None) == SetAside(PARKED)


def test_a_stop_moves_a_parked_turn() -> None:
    stopped = replace(PARKED, stop_asked="Ann by /stop")
    agenda = todo((stopped,), approvals=carded(ApprovalState.OPEN), waiting=(row(),))
    assert next_job(agenda, None) == TakeUp(stopped)


def test_the_end_of_a_resting_turn_never_comes_between_calls_and_their_results() -> None:
    cards = carded(ApprovalState.OPEN)
    stopped = replace(PARKED, stop_asked="Ann by /stop")
    assert next_job(todo((GIVEN_UP, RUNNING)), None) == TakeUp(RUNNING)
    assert next_job(todo((GIVEN_UP, stopped), approvals=cards), None) == TakeUp(stopped)
    assert next_job(todo((GIVEN_UP, PARKED), approvals=cards), None) == SetAside(PARKED)
    assert next_job(todo((GIVEN_UP,), (QUEUED,)), None) == TakeUp(GIVEN_UP)


def test_cards_of_other_turns_are_no_news() -> None:
    other = replace(carded(ApprovalState.APPROVED)[0], turn="t9")
    assert next_job(todo((PARKED,), approvals=(other,)), None) is None


def drained(agenda: Agenda, stays: Sequence[bool]) -> int:
    """Does every job as the queue does; `stays` says of each turn taken up whether it parks."""
    parked: Decisions | None = None
    left = list(stays)
    for done in range(100):
        job = next_job(agenda, parked)
        parked = None
        match job:
            case None:
                return done
            case Open():
                began = turn(f"m{done}")
                agenda = replace(agenda, unfinished=(began,), waiting=agenda.waiting[1:])
            case SetAside():
                agenda = replace(agenda, unfinished=agenda.unfinished[1:])
            case TakeUp(taken):
                stay = left.pop() if left else True
                agenda = after(agenda, taken, stays=stay and taken.stop_asked is None)
                parked = decisions(taken, agenda.approvals) if stay else None
    raise AssertionError("the chat is never done")


def after(agenda: Agenda, taken: Turn, *, stays: bool) -> Agenda:
    unfinished = tuple(t for t in agenda.unfinished if t.id != taken.id)
    queued = tuple(t for t in agenda.queued if t.id != taken.id)
    if stays:
        unfinished = (replace(taken, state=TurnState.PARKED), *unfinished)
    return replace(agenda, unfinished=unfinished, queued=queued)


@given(
    st.sampled_from([(), (RUNNING,), (PARKED,), (replace(PARKED, stop_asked="Ann"),)]),
    st.integers(0, 3),
    st.integers(0, 3),
    st.lists(st.sampled_from(ApprovalState), max_size=3),
    st.lists(st.booleans(), max_size=6),
)
def test_a_chat_is_drained_in_as_many_jobs_as_it_has_work(
    unfinished: tuple[Turn, ...],
    queued: int,
    waiting: int,
    cards: list[ApprovalState],
    stays: list[bool],
) -> None:
    turns = tuple(turn(f"q{n}", state=TurnState.QUEUED) for n in range(queued))
    rows = tuple(row(n) for n in range(waiting))
    agenda = todo(unfinished, turns, carded(*cards), rows)
    pieces = len(unfinished) + queued + waiting
    assert pieces - 1 <= drained(agenda, stays) <= 3 * pieces
