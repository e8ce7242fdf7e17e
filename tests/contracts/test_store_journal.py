"""Changes are carried out whole or not at all, and only by the owner of the chat."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.change import (
    AddAudit,
    AddNote,
    Append,
    AskStop,
    Change,
    CountStart,
    DropNote,
    EndRest,
    EndWays,
    InboundState,
    MarkInbound,
    OpenConversation,
    Revoke,
    SaveApproval,
    SaveConversation,
    SaveSettings,
    SaveTurn,
)
from bot.domain.consent.approval import ApprovalState
from bot.domain.memory.note import Note
from bot.domain.memory.passage import of_group, of_person
from bot.domain.talk.chat import Chat, Conversation, QueueMode
from bot.domain.talk.errors import Conflict, FenceLost, StewardError, StoreError
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.talk.person import Role, Sender
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import Turn, TurnState, Way, WaysOn
from bot.ports.journal import MOST_AHEAD
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import (
    BODIES,
    NOW,
    a_card,
    a_turn,
    add_turn,
    an_entry,
    commit,
    later,
    lines,
    shown,
)


async def unfinished(store: StorePorts, chat: Chat) -> tuple[Turn, ...]:
    return (await store.journal.agenda(chat.id)).unfinished


async def test_entries_of_every_kind_come_back_as_they_were(store: StorePorts, chat: Chat):
    entries = tuple(an_entry(chat, n, body) for n, body in enumerate(BODIES, start=1))
    await commit(store, Append(chat.id, entries))
    assert await store.journal.entries(chat.conversation) == list(entries)


async def test_entries_are_read_on_from_a_number(store: StorePorts, chat: Chat):
    await commit(store, lines(chat, 1, 2, 3))
    assert [e.seq for e in await store.journal.entries(chat.conversation, after=1)] == [2, 3]
    assert await store.journal.entries("another") == []


async def test_appending_moves_the_end_of_the_log(store: StorePorts, chat: Chat):
    await commit(store, lines(chat, 1, 2), lines(chat, 3))
    assert (await store.chats.get(chat.id)).last_seq == 3


@pytest.mark.parametrize("numbers", [(2,), (1, 3), (2, 1), (0,), (1, 1)])
async def test_a_gap_in_the_numbers_is_refused(
    store: StorePorts, chat: Chat, numbers: tuple[int, ...]
):
    with pytest.raises(Conflict):
        await commit(store, lines(chat, *numbers))
    assert await store.journal.entries(chat.conversation) == []
    assert (await store.chats.get(chat.id)).last_seq == 0


async def test_each_claim_gives_a_higher_fence(store: StorePorts, chat: Chat):
    first = await store.journal.claim(chat.id)
    second = await store.journal.claim(chat.id)
    assert (first.chat, second.chat) == (chat.id, chat.id)
    assert second.number > first.number, "how far it grows is the store's own affair"


async def test_a_chat_that_is_not_there_cannot_be_claimed(store: StorePorts):
    with pytest.raises(StoreError):
        await store.journal.claim(404)


@pytest.mark.parametrize("appends", [True, False])
async def test_a_lost_fence_leaves_nothing_behind(store: StorePorts, chat: Chat, appends: bool):
    old = await store.journal.claim(chat.id)
    await store.journal.claim(chat.id)
    writes = (SaveTurn(a_turn(chat)), shown(chat), *((lines(chat, 1),) if appends else ()))
    with pytest.raises(FenceLost):
        await commit(store, *writes, fence=old)
    assert await store.journal.entries(chat.conversation) == []
    assert await unfinished(store, chat) == ()
    assert await store.outbox.owed(chat.id) == []


async def test_the_owner_writes_under_its_fence(store: StorePorts, chat: Chat):
    fence = await store.journal.claim(chat.id)
    await commit(store, lines(chat, 1), SaveTurn(a_turn(chat)), fence=fence)
    await commit(store, shown(chat), fence=fence)
    assert len(await store.journal.entries(chat.conversation)) == 1
    assert len(await store.outbox.owed(chat.id)) == 1


async def test_a_gap_under_a_good_fence_is_a_conflict(store: StorePorts, chat: Chat):
    fence = await store.journal.claim(chat.id)
    with pytest.raises(Conflict):
        await commit(store, lines(chat, 2), fence=fence)


async def test_a_conflict_late_in_a_change_leaves_nothing_behind(store: StorePorts, chat: Chat):
    writes = (
        lines(chat, 1, 2),
        SaveTurn(a_turn(chat)),
        shown(chat),
        AddAudit(NOW, chat.id, 1, "turn.opened", "turn-1", {}),
        SaveApproval(a_card(chat), expect=ApprovalState.OPEN),
    )
    with pytest.raises(Conflict):
        await commit(store, *writes)
    assert await store.journal.entries(chat.conversation) == []
    assert (await store.chats.get(chat.id)).last_seq == 0
    assert await unfinished(store, chat) == ()
    assert await store.outbox.row("answer:1") is None
    assert await store.ledger.audit(chat.id, 10) == []


async def test_rows_of_a_chat_that_is_not_there_are_refused(store: StorePorts, chat: Chat):
    nowhere = replace(chat, id=404)
    for write in (lines(nowhere, 1), SaveTurn(a_turn(nowhere)), SaveApproval(a_card(nowhere))):
        with pytest.raises(Conflict):
            await commit(store, write)


async def test_of_two_writers_at_once_one_gets_the_number(store: StorePorts, chat: Chat):
    async def attempt(turn: str) -> bool:
        entry = an_entry(chat, 1, turn=turn)
        try:
            await commit(store, Append(chat.id, (entry,)), SaveTurn(a_turn(chat, turn)))
        except Conflict:
            return False
        return True

    outcomes = await asyncio.gather(*(attempt(f"turn-{n}") for n in range(8)))
    assert outcomes.count(True) == 1
    winner = f"turn-{outcomes.index(True)}"
    assert [e.turn for e in await store.journal.entries(chat.conversation)] == [winner]
    assert [t.id for t in await unfinished(store, chat)] == [winner]


async def test_commits_to_many_chats_at_once_all_arrive(store: StorePorts):
    addresses = [Address("telegram", str(n)) for n in range(12)]
    chats = [await store.chats.at(address, private=True) for address in addresses]

    async def work(chat: Chat) -> None:
        fence = await store.journal.claim(chat.id)
        for number in range(1, 6):
            await commit(
                store, lines(chat, number), SaveTurn(a_turn(chat, f"t{chat.id}")), fence=fence
            )

    await asyncio.gather(*(work(chat) for chat in chats))
    for chat in chats:
        found = await store.journal.entries(chat.conversation)
        assert [e.seq for e in found] == [1, 2, 3, 4, 5]


async def test_a_cancelled_commit_is_decided_before_the_cancel_arrives(
    store: StorePorts, chat: Chat
):
    task = asyncio.create_task(commit(store, lines(chat, 1), SaveTurn(a_turn(chat))))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    before = await store.journal.entries(chat.conversation), await unfinished(store, chat)
    await store.journal.claim(chat.id)
    after = await store.journal.entries(chat.conversation), await unfinished(store, chat)
    assert before == after
    assert len(before[0]) == len(before[1])


async def test_a_turn_is_stored_whole_and_updated(store: StorePorts, chat: Chat):
    turn = a_turn(chat, state=TurnState.PARKED, approval="card-1", reply_to="17")
    await commit(store, SaveTurn(turn))
    assert await unfinished(store, chat) == (turn,)
    changed = replace(turn, state=TurnState.RUNNING, rounds=2, calls=3, worked_ms=4, attempts=1)
    await commit(store, SaveTurn(changed))
    assert await unfinished(store, chat) == (changed,)


async def test_saving_a_turn_never_writes_the_wish_to_stop(store: StorePorts, chat: Chat):
    await commit(store, SaveTurn(a_turn(chat, stop_asked="made up")))
    assert (await unfinished(store, chat))[0].stop_asked is None
    await commit(store, AskStop("turn-1", "Ann: /stop"))
    await commit(store, SaveTurn(a_turn(chat, rounds=1)))
    assert (await unfinished(store, chat))[0].stop_asked == "Ann: /stop"


async def test_a_settled_turn_cannot_be_asked_to_stop(store: StorePorts, chat: Chat):
    settled = a_turn(chat, state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER)
    await commit(store, SaveTurn(settled))
    await commit(store, AskStop("turn-1", "late"))
    await commit(store, SaveTurn(replace(settled, state=TurnState.RUNNING)))
    assert (await unfinished(store, chat))[0].stop_asked is None


async def test_saving_a_chat_keeps_its_fence_and_log_end(store: StorePorts, chat: Chat):
    fence = await store.journal.claim(chat.id)
    await commit(store, lines(chat, 1), fence=fence)
    wish = replace(chat.settings, queue_mode=QueueMode.STEER, model="m", timezone="Europe/Berlin")
    await commit(store, SaveSettings(chat, wish), OpenConversation(chat.id, "next"))
    stored = await store.chats.get(chat.id)
    assert stored == replace(
        chat, settings=wish, conversation="next", fence=fence.number, last_seq=1
    )


async def test_a_conversation_is_closed_and_a_new_one_opened(store: StorePorts, chat: Chat):
    first = await store.chats.conversation(chat.id, chat.conversation)
    assert first is not None
    closed = replace(first, closed_at=later(5), title="Tests", summary="They pass.")
    await commit(
        store, SaveConversation(closed), SaveConversation(Conversation("c2", chat.id, NOW))
    )
    assert await store.chats.conversations(chat.id, 10) == [closed]
    assert await store.chats.conversation(chat.id, "c2") == Conversation("c2", chat.id, NOW)


async def test_the_agenda_holds_what_is_left_oldest_first(store: StorePorts, chat: Chat):
    for name, state, age in (
        ("queued", TurnState.QUEUED, 3),
        ("running", TurnState.RUNNING, 2),
        ("parked", TurnState.PARKED, 1),
        ("settled", TurnState.SETTLED, 0),
    ):
        await commit(store, SaveTurn(a_turn(chat, name, state=state, created_at=later(age))))
    await store.inbox.accept("telegram", [RawUpdate("1", "{}"), RawUpdate("2", "{}")], NOW)
    row = (await store.inbox.unrouted(1))[0]
    await commit(
        store, MarkInbound(row.id, InboundState.WAITING, (InboundState.NEW,), chat.id, "17")
    )
    agenda = await store.journal.agenda(chat.id)
    assert [t.id for t in agenda.unfinished] == ["parked", "running"]
    assert [t.id for t in agenda.queued] == ["queued"]
    assert [r.message_id for r in agenda.waiting] == ["17"]


async def test_the_agenda_knows_who_wrote_what_waits_and_whether_they_have_notes(
    store: StorePorts, chat: Chat
):
    ann = await store.people.admit(Sender("telegram", "1", "Ann"), Role.OWNER)
    bob = await store.people.admit(Sender("telegram", "2", "Bob"), Role.MEMBER)
    await store.inbox.accept("telegram", [RawUpdate("1", "{}"), RawUpdate("2", "{}")], NOW)
    for row, person in zip(await store.inbox.unrouted(2), (ann, bob), strict=True):
        wait = MarkInbound(row.id, InboundState.WAITING, (InboundState.NEW,), chat.id)
        await commit(store, replace(wait, person=person.id))
    agenda = await store.journal.agenda(chat.id)
    assert agenda.senders == {ann.id: ann, bob.id: bob}
    for whose in (of_person(bob.id), of_group(chat.id)):
        await commit(store, AddNote(Note(whose, whose, "Water the trees.", NOW, bob.id, "Bob")))
        assert (await store.journal.agenda(chat.id)).noted
        await commit(store, DropNote(whose))
    await commit(store, Revoke(bob.id, "left"))
    assert (await store.journal.agenda(chat.id)).senders == {ann.id: ann}


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
async def test_notes_of_others_are_none_of_the_agenda(store: StorePorts, chat: Chat):
    ann = await store.people.admit(Sender("telegram", "1", "Ann"), Role.OWNER)
    await store.inbox.accept("telegram", [RawUpdate("1", "{}")], NOW)
    wait = MarkInbound(1, InboundState.WAITING, (InboundState.NEW,), chat.id, person=ann.id)
    other = Note("n", of_person(ann.id + 1), "Water the trees.", NOW, ann.id + 1, "Bob")
    await commit(store, wait, AddNote(other))
    assert not (await store.journal.agenda(chat.id)).noted


async def test_of_many_waiting_messages_the_agenda_holds_the_oldest(store: StorePorts, chat: Chat):
    updates = [RawUpdate(str(number), "{}") for number in range(MOST_AHEAD + 20)]
    await store.inbox.accept("telegram", updates, NOW)
    rows = await store.inbox.unrouted(len(updates))
    wait = [MarkInbound(r.id, InboundState.WAITING, (InboundState.NEW,), chat.id) for r in rows]
    await commit(store, *wait)
    agenda = await store.journal.agenda(chat.id)
    assert [r.key for r in agenda.waiting] == [u.key for u in updates[:MOST_AHEAD]]
    assert len(await store.inbox.waiting(chat.id)) == len(updates)
    assert [r.key for r in await store.inbox.waiting(chat.id, 2)] == ["0", "1"]


async def test_the_agenda_holds_the_cards_that_still_matter(store: StorePorts, chat: Chat):
    await add_turn(store, chat, "old", TurnState.RUNNING)
    await add_turn(store, chat, "turn-1", TurnState.PARKED)
    cards = (
        a_card(chat, "open"),
        a_card(chat, "decided", position=1, state=ApprovalState.DENIED),
        a_card(chat, "aside-open", turn="old", set_aside=True),
        a_card(chat, "aside-denied", turn="old", set_aside=True, state=ApprovalState.DENIED),
        a_card(
            chat,
            "aside-read",
            turn="old",
            set_aside=True,
            state=ApprovalState.DENIED,
            reported=True,
        ),
        a_card(
            chat,
            "continued",
            turn="old",
            set_aside=True,
            state=ApprovalState.APPROVED,
            reported=True,
        ),
        a_card(chat, "done", turn="old", state=ApprovalState.APPROVED),
    )
    await commit(store, *(SaveApproval(card) for card in cards))
    await add_turn(store, chat, "old", TurnState.SETTLED)
    late = a_turn(chat, "late", state=TurnState.QUEUED, origin="continuation", approval="continued")
    await commit(store, SaveTurn(late))
    found = [card.id for card in (await store.journal.agenda(chat.id)).approvals]
    assert found == ["aside-denied", "continued", "open", "decided"]


@pytest.mark.parametrize("state", list(TurnState))
async def test_turns_at_work_make_work(store: StorePorts, chat: Chat, state: TurnState):
    await add_turn(store, chat, "turn-1", state)
    at_work = (TurnState.QUEUED, TurnState.RUNNING, TurnState.RESTING)
    expected = [chat.id] if state in at_work else []
    assert await store.journal.chats_with_work() == expected


async def test_a_parked_turn_makes_work_once_a_card_is_decided(store: StorePorts, chat: Chat):
    await add_turn(store, chat, "turn-1", TurnState.PARKED)
    card = a_card(chat)
    await commit(store, SaveApproval(card), SaveApproval(a_card(chat, "card-2", position=1)))
    assert await store.journal.chats_with_work() == []
    approved = replace(card, state=ApprovalState.APPROVED)
    await commit(store, SaveApproval(approved, expect=ApprovalState.OPEN))
    assert await store.journal.chats_with_work() == [chat.id]
    await add_turn(store, chat, "turn-1", TurnState.SETTLED)
    assert await store.journal.chats_with_work() == []


async def test_a_parked_turn_makes_work_once_it_shall_stop(store: StorePorts, chat: Chat):
    await add_turn(store, chat, "turn-1", TurnState.PARKED)
    await commit(store, AskStop("turn-1", "Ann: /stop"))
    assert await store.journal.chats_with_work() == [chat.id]


async def test_a_waiting_message_makes_work(store: StorePorts, chat: Chat):
    await store.inbox.accept("telegram", [RawUpdate("1", "{}")], NOW)
    row = (await store.inbox.unrouted(1))[0]
    assert await store.journal.chats_with_work() == []
    await commit(store, MarkInbound(row.id, InboundState.WAITING, (InboundState.NEW,), chat.id))
    assert await store.journal.chats_with_work() == [chat.id]


async def test_a_decided_card_set_aside_makes_no_work(store: StorePorts, chat: Chat):
    await add_turn(store, chat, "turn-1", TurnState.PARKED)
    await commit(store, SaveApproval(a_card(chat)))
    aside = a_card(chat, set_aside=True)
    await commit(
        store,
        SaveApproval(aside, expect=ApprovalState.OPEN),
        SaveTurn(a_turn(chat, state=TurnState.SETTLED)),
    )
    denied = replace(aside, state=ApprovalState.DENIED)
    await commit(store, SaveApproval(denied, expect=ApprovalState.OPEN))
    assert await store.journal.chats_with_work() == []


async def test_a_durable_change_and_an_empty_one_are_changes_too(store: StorePorts, chat: Chat):
    await store.journal.commit(Change((lines(chat, 1),), durable=True))
    await store.journal.commit(Change(()))
    assert len(await store.journal.entries(chat.conversation)) == 1


async def test_every_fault_of_a_commit_is_one_of_ours(store: StorePorts, chat: Chat):
    await commit(store, SaveApproval(a_card(chat)))
    with pytest.raises(StewardError) as caught:
        await commit(store, SaveApproval(a_card(chat, "other", token="token-card-1")))
    assert isinstance(caught.value, Conflict)
    assert "token-card-1" not in str(caught.value)


async def test_a_failed_start_is_counted_on_a_running_turn_alone(store: StorePorts, chat: Chat):
    running = a_turn(chat, "running", attempts=1, worked_ms=7)
    parked = a_turn(chat, "parked", state=TurnState.PARKED)
    await commit(store, SaveTurn(running), SaveTurn(parked))
    await commit(store, CountStart("running"), CountStart("parked"))
    rows = {turn.id: turn for turn in await unfinished(store, chat)}
    assert rows == {"running": replace(running, attempts=2), "parked": parked}


async def test_the_time_of_a_trial_is_moved_for_the_rest_it_was_meant_for(
    store: StorePorts, chat: Chat
):
    resting = a_turn(chat, state=TurnState.RESTING, attempts=4, rests=2, rests_until=NOW)
    await commit(store, SaveTurn(resting))
    moved = NOW + timedelta(minutes=5)
    with pytest.raises(Conflict):
        await commit(store, EndRest(resting.id, 1, moved))
    assert await unfinished(store, chat) == (resting,)
    await commit(store, EndRest(resting.id, 2, moved))
    assert await unfinished(store, chat) == (replace(resting, rests_until=moved),)
    await commit(store, SaveTurn(replace(resting, state=TurnState.RUNNING)))
    with pytest.raises(Conflict):
        await commit(store, EndRest(resting.id, 2, moved))


async def test_the_buttons_below_an_end_are_pressed_or_past_once(store: StorePorts, chat: Chat):
    ended = a_turn(chat, "ended", state=TurnState.SETTLED, ways_on=WaysOn.OPEN)
    other = a_turn(chat, "other", state=TurnState.SETTLED)
    await commit(store, SaveTurn(ended), SaveTurn(other))
    assert (await store.journal.agenda(chat.id)).leads_on == "ended"
    for turn in ("other", "nobody's"):
        with pytest.raises(Conflict):
            await commit(store, EndWays(turn, WaysOn.PRESSED))
    await commit(store, EndWays("ended", WaysOn.PRESSED))
    with pytest.raises(Conflict):
        await commit(store, EndWays("ended", WaysOn.PAST))
    assert await store.turns.get("ended") == replace(ended, ways_on=WaysOn.PRESSED)
    assert (await store.journal.agenda(chat.id)).leads_on is None


async def test_a_turn_keeps_what_it_follows(store: StorePorts, chat: Chat):
    next_one = a_turn(
        chat, "next", state=TurnState.QUEUED, follows="ended", way=Way.ANSWER, said="Tea ☕"
    )
    await commit(store, SaveTurn(next_one))
    assert (await store.journal.agenda(chat.id)).queued == (next_one,)
    assert await store.turns.get("next") == next_one
    assert await store.turns.get("nobody's") is None


async def test_turns_at_work_are_found_by_their_origin(store: StorePorts, chat: Chat) -> None:
    queued = [
        a_turn(chat, id, state=TurnState.QUEUED, origin="task", created_at=at)
        for id, at in (("late", later(9)), ("b", later(5)), ("a", later(5)))
    ]
    running = a_turn(chat, "running", origin="task", created_at=later(7))
    others = [
        a_turn(chat, f"in {state}", state=state, origin="task")
        for state in (TurnState.PARKED, TurnState.RESTING, TurnState.SETTLED)
    ]
    asked = a_turn(chat, "asked", state=TurnState.QUEUED)
    await commit(store, *map(SaveTurn, (*queued, running, *others, asked)))
    found = [one.id for one in await store.turns.at_work("task")]
    assert found == ["a", "b", "running", "late"]
    assert await store.turns.at_work("hook") == []
