"""What a store does when a chat moves, alone or to where another one lives."""

from dataclasses import replace

from bot.domain.change import (
    AddAudit,
    AddNote,
    AddRule,
    Append,
    InboundState,
    JoinChats,
    KeepPassage,
    MarkInbound,
    MoveChat,
    NoteOffer,
    Retract,
    SaveApproval,
    SavePlan,
    SaveTurn,
    Show,
)
from bot.domain.consent.approval import ApprovalState, Rule
from bot.domain.memory.note import Note
from bot.domain.memory.passage import Passage, whose
from bot.domain.plans.plan import PlanState
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.talk.person import Role, Sender
from bot.domain.tools.tool import PathRule
from bot.domain.turn.transcript import CutBody, SummaryBody
from bot.domain.turn.turn import TurnState
from bot.ports.outbox import Delivered, DeliveryState
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import (
    NOW,
    a_card,
    a_plan,
    a_turn,
    add_turn,
    an_entry,
    an_outbound,
    commit,
    lines,
    shown,
)

OLD, NEWER = Address("telegram", "-42"), Address("telegram", "-10042")


async def on_screen(store: StorePorts, key: str, *ids: str) -> None:
    row = await store.outbox.row(key)
    assert row is not None
    pieces = ()
    await store.outbox.record(
        Delivered(row.id, row.version, DeliveryState.SHOWN, row.version, pieces, ids, 0, NOW)
    )


async def two(store: StorePorts) -> tuple[Chat, Chat]:
    return await store.chats.at(OLD, private=False), await store.chats.at(NEWER, private=False)


async def test_a_chat_is_found_at_its_old_address_too(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    await commit(store, MoveChat(OLD, NEWER))
    assert (await store.chats.at(OLD, private=False)).id == chat.id
    assert [c.id for c in await store.chats.within(OLD)] == [chat.id]
    assert [c.id for c in await store.chats.within(NEWER)] == [chat.id]


async def test_a_group_has_its_topics_and_no_other_chats(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    topic = await store.chats.at(replace(OLD, thread="7"), private=False)
    await store.chats.at(Address("telegram", "-421"), private=False)
    assert [c.id for c in await store.chats.within(OLD)] == [chat.id, topic.id]
    assert await store.chats.within(NEWER) == []


async def test_an_open_card_is_owed_anew_where_the_chat_moved(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    card, done = a_card(chat, "open"), a_card(chat, "done", state=ApprovalState.DENIED)
    await commit(store, SaveApproval(card), SaveApproval(done))
    for one in (card, done):
        await commit(store, shown(chat, one.key_in(chat.id)))
        await on_screen(store, one.key_in(chat.id), f"m-{one.id}")
    await commit(store, MoveChat(OLD, NEWER))
    [owed] = await store.outbox.owed(chat.id)
    assert (owed.key, owed.address, owed.shown_version) == (card.key_in(chat.id), NEWER, 0)
    assert owed.message_ids == ()
    assert owed.content == replace(an_outbound(), reply_to=None)
    assert await store.outbox.key_of(chat.id, "m-open") is None


async def test_what_was_to_vanish_from_the_old_screen_is_owed_no_more(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    await commit(store, Retract(chat.id, "turn-1", "m1"), MoveChat(OLD, NEWER))
    assert await store.outbox.owed(chat.id) == []


async def test_a_copy_of_a_card_stays_behind_on_the_old_screen(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    await commit(store, shown(chat, "card:card-1"))
    original = await store.outbox.row("card:card-1")
    assert original is not None
    copy = Show("copy:m9", chat.id, an_outbound(), over="m9", copy_of=original.id)
    await commit(store, copy, MoveChat(OLD, NEWER))
    assert [row.key for row in await store.outbox.owed(chat.id)] == ["card:card-1"]
    await commit(store, shown(chat, "card:card-1", "Decided."))
    assert [row.key for row in await store.outbox.owed(chat.id)] == ["card:card-1"]


async def test_a_turn_that_goes_on_replies_to_nothing_in_the_new_place(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    await commit(store, SaveTurn(a_turn(chat, reply_to="17", state=TurnState.PARKED)))
    await commit(store, MoveChat(OLD, NEWER))
    assert (await store.journal.agenda(chat.id)).unfinished[0].reply_to is None


async def test_two_chats_of_one_group_become_one_with_both_logs(store: StorePorts):
    kept, other = await two(store)
    await commit(store, lines(kept, 1, 2))
    await commit(store, lines(other, 1, 2, 3))
    await commit(store, JoinChats(OLD, NEWER))
    joined = await store.chats.at(NEWER, private=False)
    assert (joined.id, joined.moved_from, joined.last_seq) == (kept.id, OLD, 5)
    log = await store.journal.entries(kept.conversation)
    assert [(e.seq, e.conversation) for e in log] == [(n, kept.conversation) for n in range(1, 6)]
    assert await store.journal.entries(other.conversation) == []
    await commit(store, lines(joined, 6))


async def test_all_that_a_chat_has_going_on_comes_along(store: StorePorts):
    kept, other = await two(store)
    turn = await add_turn(store, other, "turn-1", TurnState.PARKED)
    card = a_card(other)
    await store.inbox.accept("telegram", [RawUpdate("1", "hello")], NOW)
    [row] = await store.inbox.unrouted(1)
    waits = MarkInbound(row.id, InboundState.WAITING, (InboundState.NEW,), other.id)
    audit = AddAudit(NOW, other.id, 1, "turn.ended", "turn-0", {})
    await commit(store, SaveApproval(card), shown(other), waits, audit)
    await on_screen(store, "answer:1", "m1")
    await commit(store, JoinChats(OLD, NEWER))
    agenda = await store.journal.agenda(kept.id)
    assert agenda.unfinished == (replace(turn, chat=kept.id, conversation=kept.conversation),)
    assert [a.id for a in agenda.approvals] == [card.id]
    assert [r.body for r in agenda.waiting] == ["hello"]
    assert [a.subject for a in await store.ledger.audit(kept.id, 9)] == ["turn-0"]
    assert await store.outbox.key_of(kept.id, "m1") == "answer:1"


async def test_what_is_remembered_names_the_conversation_that_goes_on(store: StorePorts):
    kept, other = await two(store)
    of, said = whose(other, 1), other.conversation
    passage = Passage("turn-1", of, NOW, "Where?", "Here.", 1, "Ann", other.id, said)
    await commit(store, KeepPassage(passage), AddNote(Note("n", of, "Here.", NOW, 1, "Ann", said)))
    await commit(store, JoinChats(OLD, NEWER))
    remembered = await store.memory.get("turn-1")
    assert remembered is not None
    [noted] = await store.notes.of(whose(kept, 1), 9)
    assert (remembered.conversation, noted.conversation) == (kept.conversation,) * 2


async def test_rules_that_a_skill_asked_for_stay_behind_when_chats_are_joined(store: StorePorts):
    kept, other = await two(store)
    ann = await store.people.admit(Sender("telegram", "1", "Ann"), Role.MEMBER)
    asked = Rule(0, ann.id, other.id, "write_file", PathRule("a"), "a", NOW, under="tea@1")
    given = replace(asked, under="")
    await commit(store, AddRule(asked), AddRule(given), NoteOffer(other.id, "tea@1"))
    await commit(store, JoinChats(OLD, NEWER))
    rules = await store.rules.of(ann.id, kept.id)
    assert [(rule.chat, rule.under) for rule in rules] == [(kept.id, "")]


async def test_lines_that_name_others_name_them_still(store: StorePorts):
    kept, other = await two(store)
    await commit(store, lines(kept, 1, 2))
    cut = an_entry(other, 2, CutBody((1,), 500))
    await commit(store, lines(other, 1), Append(other.id, (cut,)))
    await commit(store, JoinChats(OLD, NEWER))
    assert (await store.journal.entries(kept.conversation))[-1].body == CutBody((3,), 500)


async def test_a_summary_never_stands_for_what_it_has_not_read(store: StorePorts):
    kept, other = await two(store)
    await commit(store, lines(kept, 1, 2))
    summary = an_entry(other, 2, SummaryBody(1, "They met."))
    await commit(store, lines(other, 1), Append(other.id, (summary,)))
    await commit(store, JoinChats(OLD, NEWER))
    joined = await store.chats.at(NEWER, private=False)
    assert joined.conversation == other.conversation
    log = await store.journal.entries(other.conversation)
    assert [e.seq for e in log] == [3, 4]
    assert log[-1].body == SummaryBody(3, "They met.")
    assert [c.id for c in await store.chats.conversations(joined.id, 9)] == [kept.conversation]


async def test_joining_with_nobody_is_moving(store: StorePorts):
    chat = await store.chats.at(OLD, private=False)
    await commit(store, JoinChats(OLD, NEWER), JoinChats(OLD, NEWER))
    assert (await store.chats.get(chat.id)).address == NEWER


async def test_the_plan_of_the_kept_chat_goes_on_and_its_card_is_shown_anew(store: StorePorts):
    old, newer = await two(store)
    kept = a_plan(old, state=PlanState.READY)
    await commit(
        store,
        SavePlan(kept),
        Show(kept.key_in(old.id), old.id, an_outbound("the plan")),
        SavePlan(a_plan(newer, "plan-2")),
    )
    await on_screen(store, kept.key_in(old.id), "17")
    await commit(store, JoinChats(OLD, NEWER))
    assert await store.plans.live(old.id) == kept
    dropped = await store.plans.get("plan-2")
    assert dropped is not None
    assert (dropped.state, dropped.chat, dropped.version) == (PlanState.CANCELLED, old.id, 2)
    assert [row.key for row in await store.outbox.owed(old.id)] == [kept.key_in(old.id)]


async def test_the_only_plan_of_two_chats_goes_on(store: StorePorts):
    old, newer = await two(store)
    await commit(store, SavePlan(a_plan(newer)))
    await commit(store, JoinChats(OLD, NEWER))
    live = await store.plans.live(old.id)
    assert live is not None
    assert live.id == "plan-1"
