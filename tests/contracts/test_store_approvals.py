"""Cards are decided once; rules belong to one person in one chat."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.domain.change import AddRule, DropRule, EndGrants, NoteOffer, SaveApproval, SaveSettings
from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.talk.chat import Chat
from bot.domain.talk.errors import Conflict
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.tools.tool import (
    CommandRule,
    ExactRule,
    OriginRule,
    PathRule,
    ReadingRule,
    RulePattern,
    Surroundings,
    ToolRule,
)
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_card, commit, later


def ids(cards: Sequence[Approval]) -> list[str]:
    return [card.id for card in cards]


async def test_a_card_is_found_by_token_and_by_id_as_it_was(store: StorePorts, chat: Chat):
    card = a_card(chat, position=1, group=3, kind="repeat")
    await commit(store, SaveApproval(card))
    assert await store.approvals.get("card-1") == card
    assert await store.approvals.by_token("token-card-1") == card
    assert await store.approvals.get("another") is None
    assert await store.approvals.by_token("forged") is None


async def test_a_decision_is_stored_whole(store: StorePorts, chat: Chat):
    card = a_card(chat)
    await commit(store, SaveApproval(card))
    decided = replace(
        card,
        state=ApprovalState.DENIED,
        decided_by=1,
        decider_name="Ann",
        decided_at=later(60),
        reason="not now",
        shown_at=later(2),
        set_aside=True,
        reported=True,
    )
    await commit(store, SaveApproval(decided, expect=ApprovalState.OPEN))
    assert await store.approvals.get("card-1") == decided


async def test_a_card_is_decided_once(store: StorePorts, chat: Chat):
    card = a_card(chat)
    await commit(store, SaveApproval(card))

    async def press(name: str) -> bool:
        decided = replace(card, state=ApprovalState.APPROVED, decider_name=name)
        try:
            await commit(store, SaveApproval(decided, expect=ApprovalState.OPEN))
        except Conflict:
            return False
        return True

    outcomes = await asyncio.gather(*(press(f"person {n}") for n in range(6)))
    assert outcomes.count(True) == 1
    stored = await store.approvals.get("card-1")
    assert stored is not None
    assert stored.decider_name == f"person {outcomes.index(True)}"


async def test_a_decision_from_before_a_card_was_set_aside_is_refused(
    store: StorePorts, chat: Chat
):
    card = a_card(chat)
    await commit(store, SaveApproval(card))
    aside = replace(card, set_aside=True)
    await commit(store, SaveApproval(aside, expect=ApprovalState.OPEN))
    approved = replace(card, state=ApprovalState.APPROVED)
    with pytest.raises(Conflict):
        await commit(store, SaveApproval(approved, expect=ApprovalState.OPEN))
    assert await store.approvals.get(card.id) == aside
    approved = replace(aside, state=ApprovalState.APPROVED)
    await commit(store, SaveApproval(approved, expect=ApprovalState.OPEN))
    assert await store.approvals.get(card.id) == approved


@pytest.mark.parametrize("again", ["card-1", "card-2"])
async def test_a_card_or_a_token_is_given_once(store: StorePorts, chat: Chat, again: str):
    await commit(store, SaveApproval(a_card(chat)))
    with pytest.raises(Conflict):
        await commit(store, SaveApproval(a_card(chat, again, token="token-card-1")))


async def test_open_cards_of_a_chat_come_oldest_first(store: StorePorts, chat: Chat):
    other = await store.chats.at(Address("telegram", "43"), private=True)
    await commit(
        store,
        SaveApproval(a_card(chat, "second", position=1)),
        SaveApproval(a_card(chat, "third", created_at=later(1))),
        SaveApproval(a_card(chat, "first")),
        SaveApproval(a_card(chat, "done", state=ApprovalState.DENIED)),
        SaveApproval(a_card(other, "elsewhere")),
    )
    assert ids(await store.approvals.open_in(chat.id)) == ["first", "second", "third"]


async def test_the_cards_of_a_turn_are_found_in_any_state(store: StorePorts, chat: Chat):
    await commit(
        store,
        SaveApproval(a_card(chat, "b", position=1, state=ApprovalState.EXPIRED)),
        SaveApproval(a_card(chat, "a")),
        SaveApproval(a_card(chat, "c", turn="turn-2")),
    )
    assert ids(await store.approvals.of_turn("turn-1")) == ["a", "b"]


async def test_cards_whose_time_is_over_are_found_while_open(store: StorePorts, chat: Chat):
    await commit(
        store,
        SaveApproval(a_card(chat, "later", expires_at=later(20))),
        SaveApproval(a_card(chat, "late", expires_at=later(10))),
        SaveApproval(a_card(chat, "later still", expires_at=later(21))),
        SaveApproval(a_card(chat, "gone", expires_at=later(5), state=ApprovalState.EXPIRED)),
    )
    assert ids(list(await store.approvals.overdue(later(20), 10))) == ["late", "later"]
    assert ids(list(await store.approvals.overdue(later(20), 1))) == ["late"]
    assert await store.approvals.overdue(later(9), 10) == []


async def admitted(store: StorePorts, name: str) -> Person:
    return await store.people.admit(Sender("telegram", name, name), Role.MEMBER)


def a_rule(person: Person, chat: Chat, pattern: RulePattern) -> Rule:
    shown = Surroundings("here", "tracker", ("TRACKER",))
    return Rule(0, person.id, chat.id, "run_command", pattern, "pytest -q", NOW, shown)


async def test_rules_of_every_kind_come_back_with_a_number(store: StorePorts, chat: Chat):
    ann = await admitted(store, "Ann")
    exact, command = ExactRule('{"a":1}'), CommandRule(("git", "status"))
    reading = ReadingRule(), ReadingRule(("git",))
    patterns = (exact, command, PathRule("docs"), ToolRule(), *reading, OriginRule("server notes"))
    await commit(store, *(AddRule(a_rule(ann, chat, p)) for p in patterns))
    rules = await store.rules.of(ann.id, chat.id)
    assert tuple(rule.pattern for rule in rules) == patterns
    assert len({rule.id for rule in rules}) == 7
    assert replace(rules[0], id=0) == a_rule(ann, chat, patterns[0])


async def test_a_rule_holds_for_one_person_in_one_chat(store: StorePorts, chat: Chat):
    ann, bob = await admitted(store, "Ann"), await admitted(store, "Bob")
    other = await store.chats.at(Address("telegram", "43"), private=True)
    await commit(store, AddRule(a_rule(ann, chat, ExactRule("{}"))))
    assert await store.rules.of(bob.id, chat.id) == []
    assert await store.rules.of(ann.id, other.id) == []


async def test_a_dropped_rule_is_gone_and_its_number_is_never_given_again(
    store: StorePorts, chat: Chat
):
    ann = await admitted(store, "Ann")
    await commit(store, AddRule(a_rule(ann, chat, ExactRule("{}"))))
    (first,) = await store.rules.of(ann.id, chat.id)
    await commit(store, DropRule(first.id, chat.id + 1))
    assert len(await store.rules.of(ann.id, chat.id)) == 1
    await commit(store, DropRule(first.id, chat.id))
    assert await store.rules.of(ann.id, chat.id) == []
    await commit(store, AddRule(a_rule(ann, chat, ExactRule("{}"))))
    assert (await store.rules.of(ann.id, chat.id))[0].id != first.id


async def test_rules_that_a_skill_asked_for_end_but_for_those_of_the_skill_in_use(
    store: StorePorts, chat: Chat
):
    ann = await admitted(store, "Ann")
    other = await store.chats.at(Address("telegram", "43"), private=True)
    own = a_rule(ann, chat, PathRule("own"))
    rules = [own, *(replace(own, under=under) for under in ("tea@1", "tea@2", "rain@1"))]
    elsewhere = replace(own, chat=other.id, under="rain@1")
    await commit(store, *(AddRule(rule) for rule in (*rules, elsewhere)))
    await commit(store, EndGrants(chat.id, "tea@2"))
    left = await store.rules.of(ann.id, chat.id)
    assert [rule.under for rule in left] == ["", "tea@2"]
    await commit(store, EndGrants(chat.id))
    left = await store.rules.of(ann.id, chat.id)
    assert [rule.under for rule in left] == [""]
    assert [r.under for r in await store.rules.of(ann.id, other.id)] == ["rain@1"]


async def test_an_offer_is_remembered_until_another_skill_is_in_use(store: StorePorts, chat: Chat):
    assert (await store.chats.get(chat.id)).offered is None
    await commit(store, NoteOffer(chat.id, "tea@1"))
    await commit(
        store,
        SaveSettings(chat, replace(chat.settings, previews=True)),
        EndGrants(chat.id, "tea@1"),
    )
    assert (await store.chats.get(chat.id)).offered == "tea@1"
    await commit(store, EndGrants(chat.id, "tea@2"))
    assert (await store.chats.get(chat.id)).offered is None
