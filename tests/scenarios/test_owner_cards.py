"""Who may not approve asks in a private chat: owners see the card in theirs, and decide."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import pytest

from bot.domain.consent.approval import ApprovalState
from bot.domain.plans.plan import PlanState
from bot.domain.talk.errors import ChannelUnreachable
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role, Sender
from bot.domain.tools.tool import Code, Status
from bot.flow.approvals.cards import OWNER_ASKED
from bot.flow.approvals.desks import NOT_APPROVER
from bot.flow.plans.desk import ELSEWHERE
from tests.fakes.channel import Shown
from tests.fakes.model import Step, call, calls, says
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.scenarios.team import TEAM, Group, group
from tests.scenarios.tools import writing
from tests.words import (
    APPROVE,
    APPROVED,
    BOB_ASKS_IN_TEAM,
    CANCEL,
    CHANGE,
    DEAD_BUTTON,
    DECIDED_ALREADY,
    DENIED_ALONE,
    DENY,
    SHOWN_AGAIN,
    STOP_WORK,
)

CARL = Sender("fake", "3", "Carl")
WITH_BOB, WITH_CARL = Address("fake", "2"), Address("fake", "3")
WRITE = calls(call("a", "write", {"what": "x"}))


@asynccontextmanager
async def asked(
    *script: Step, owners: Sequence[Sender] = (ANN,), limits: Limits | None = None
) -> AsyncGenerator[Stage]:
    """Bob, who may not approve, has asked for a change; every owner has a private chat."""
    people = [(owner, Role.OWNER) for owner in owners] + [(BOB, Role.MEMBER)]
    async with stage(*script, tools=[writing()], people=people, limits=limits) as scene:
        for owner in owners:
            await scene.store.chats.at(Address("fake", owner.user_id), private=True)
        await scene.say("write x", BOB, at=WITH_BOB)
        await scene.parked()
        yield scene


def at(scene: Stage, address: Address) -> Shown:
    """The newest message in a chat."""
    return [shown for shown in scene.channel.screen.values() if shown.address == address][-1]


def shown_in(scene: Stage, address: Address) -> list[Shown]:
    """The open cards of a chat."""
    return [card for card in scene.cards if card.address == address]


def labels(shown: Shown) -> list[str]:
    return [b["label"] for row in shown.piece.body.get("buttons", ()) for b in row]


async def press(scene: Stage, label: str, address: Address, sender: Sender) -> str:
    shown = at(scene, address)
    rows = shown.piece.body["buttons"]
    data = next(b["data"] for row in rows for b in row if label in b["label"])
    return await scene.press_data(data, sender, shown.id, address)


async def test_an_owner_sees_the_card_in_private_and_approves_it_there() -> None:
    async with asked(WRITE, says("Done.")) as scene:
        card, copy = at(scene, HOME), at(scene, WITH_BOB)
        assert "asked by Bob for “write x”" in card.text
        assert labels(card) == [APPROVE, DENY, f"{CHANGE}…", STOP_WORK]
        assert OWNER_ASKED in copy.text
        assert labels(copy) == [DENY, f"{CHANGE}…", STOP_WORK]
        assert await press(scene, "Approve", HOME, ANN) == APPROVED
        await scene.settled()
        assert [r.status for r in scene.results] == [Status.SUCCESS]
        assert at(scene, WITH_BOB).text == "Done."
        told = [t for t in (*scene.texts, *scene.channel.texts(WITH_BOB)) if "approved by Ann" in t]
        assert len(told) == 2
        assert scene.cards == []


async def test_the_card_is_in_the_chat_of_every_owner_and_decided_once() -> None:
    async with asked(WRITE, says("No."), owners=(ANN, CARL)) as scene:
        spent = at(scene, HOME)
        assert await press(scene, "Deny", WITH_CARL, CARL) == DENIED_ALONE
        await scene.settled()
        assert scene.cards == []
        assert "Denied by Carl" in at(scene, HOME).text
        data = spent.piece.body["buttons"][0][0]["data"]
        assert DECIDED_ALREADY in await scene.press_data(data, ANN, spent.id)


async def test_who_asked_may_deny_or_stop_and_cannot_forge_an_approval() -> None:
    async with asked(WRITE, says("No.")) as scene:
        data = at(scene, HOME).piece.body["buttons"][0][0]["data"]
        told = await scene.press_data(data, BOB, "0", WITH_BOB)
        assert told == NOT_APPROVER
        assert await scene.press_data(data, ANN, "0", WITH_CARL) == DEAD_BUTTON
        assert await press(scene, "Deny", WITH_BOB, BOB) == DENIED_ALONE
        await scene.settled()
        assert scene.results[0].code is Code.DENIED


@asynccontextmanager
async def asked_in_group(*script: Step, there: bool, fault: bool = False) -> AsyncGenerator[Group]:
    """Bob, who may not approve, has asked for a change in a group with or without its owner."""
    async with group(*script, tools=[writing()]) as team:
        await team.scene.store.chats.at(HOME, private=True)
        if not there:
            team.scene.groups.absent.add(("-100", ANN.key))
        if fault:
            team.scene.groups.fault = ChannelUnreachable("no route", maybe_done=False)
        await team.ask("write x", BOB)
        await team.scene.parked()
        yield team


@pytest.mark.parametrize("fault", [False, True])
async def test_from_a_group_without_an_owner_the_card_goes_to_owners_in_private(
    fault: bool,
) -> None:
    async with asked_in_group(WRITE, says("Done."), there=False, fault=fault) as team:
        scene = team.scene
        card, copy = at(scene, HOME), at(scene, TEAM)
        assert BOB_ASKS_IN_TEAM in card.text
        assert labels(card) == [APPROVE, DENY, f"{CHANGE}…", STOP_WORK]
        assert labels(copy) == [DENY, f"{CHANGE}…", STOP_WORK]
        await scene.crash()
        assert await press(scene, "Approve", HOME, ANN) == APPROVED
        await scene.settled()
        assert [r.status for r in scene.results] == [Status.SUCCESS]
        assert "Done." in team.texts[-1]
        assert scene.cards == []


async def test_in_a_group_with_an_owner_the_card_stays_there() -> None:
    async with asked_in_group(WRITE, says("Done."), there=True) as team:
        scene = team.scene
        assert [shown.address for shown in scene.cards] == [TEAM]
        assert await press(scene, "Approve", TEAM, ANN) == APPROVED
        await scene.settled()


async def test_in_a_group_that_no_owner_can_be_asked_from_the_call_is_blocked() -> None:
    async with group(WRITE, says("No."), tools=[writing()]) as team:
        scene = team.scene
        scene.groups.absent.add(("-100", ANN.key))
        await team.ask("write x", BOB)
        await scene.settled()
        assert scene.results[0].code is Code.UNASKABLE


async def test_an_owners_reply_to_the_card_is_a_denial_with_its_reason() -> None:
    async with asked(WRITE, says("I see.")) as scene:
        await scene.say("not today", reply_to=at(scene, HOME))
        await scene.settled()
        assert "not today" in scene.results[0].text


async def test_a_card_set_aside_is_run_when_an_owner_approves_it_later() -> None:
    async with asked(WRITE, says("Hello."), says("It is written.")) as scene:
        await scene.say("hello", BOB, at=WITH_BOB)
        await scene.settled(2)
        await press(scene, "Approve", HOME, ANN)
        await scene.settled(3)
        assert scene.results[-1].status is Status.SUCCESS
        assert at(scene, WITH_BOB).text == "It is written."


async def test_a_card_of_the_continuation_names_who_asked_and_for_what() -> None:
    again = calls(call("b", "write", {"what": "y"}))
    async with asked(WRITE, says("Hello."), again, says("Both are written.")) as scene:
        await scene.say("hello", BOB, at=WITH_BOB)
        await scene.settled(2)
        await press(scene, "Approve", HOME, ANN)
        await scene.parked()
        assert "asked by Bob for “write x”" in at(scene, HOME).text
        await press(scene, "Approve", HOME, ANN)
        await scene.settled(3)


async def test_the_card_outlives_the_process() -> None:
    async with asked(WRITE, says("Done.")) as scene:
        await scene.crash()
        await press(scene, "Approve", HOME, ANN)
        await scene.settled()
        assert scene.results[0].status is Status.SUCCESS


@pytest.mark.parametrize("end", ["/revoke 2", "/stop", "/new"])
async def test_what_ends_the_request_takes_the_card_from_every_screen(end: str) -> None:
    async with asked(WRITE) as scene:
        if end == "/revoke 2":
            await scene.say(end)
        else:
            await scene.say(end, BOB, at=WITH_BOB)
        await scene.settled()
        assert scene.cards == []
        assert [a.state for a in scene.approvals] == [ApprovalState.CANCELLED]


async def test_owners_find_it_among_what_waits_for_their_word() -> None:
    async with asked(WRITE, owners=(ANN, CARL)) as scene:
        await scene.say("/approvals", CARL, at=WITH_CARL)
        await scene.shows_in(WITH_CARL, SHOWN_AGAIN)
        again = await scene.until(lambda: next((s for s in shown_in(scene, WITH_CARL)), None))
        assert "asked by Bob" in again.text
        await scene.say("/approvals", BOB, at=WITH_BOB)
        await scene.shows_in(WITH_BOB, "1 card is waiting for a decision.")
        await scene.say("/stop", BOB, at=WITH_BOB)
        await scene.settled()


async def test_an_owner_who_cannot_be_reached_leaves_it_to_the_others() -> None:
    async with stage(
        WRITE,
        says("Done."),
        tools=[writing()],
        people=[(ANN, Role.OWNER), (CARL, Role.OWNER), (BOB, Role.MEMBER)],
    ) as scene:
        await scene.store.chats.at(HOME, private=True)
        await scene.store.chats.at(WITH_CARL, private=True)
        scene.channel.gone.add(HOME)
        await scene.say("write x", BOB, at=WITH_BOB)
        await scene.parked()
        assert [a.state for a in scene.approvals] == [ApprovalState.OPEN]
        await press(scene, "Approve", WITH_CARL, CARL)
        await scene.settled()
        assert scene.results[0].status is Status.SUCCESS


async def test_a_card_no_owner_can_be_shown_blocks_its_call() -> None:
    async with stage(
        WRITE, says("Nobody."), tools=[writing()], people=[(ANN, Role.OWNER), (BOB, Role.MEMBER)]
    ) as scene:
        scene.channel.gone.add(HOME)
        await scene.say("write x", BOB, at=WITH_BOB)
        await scene.settled()
        assert scene.results[0].code is Code.UNASKABLE
        assert scene.cards == []


async def test_a_plan_is_changed_where_it_was_asked_for_and_not_in_an_owners_chat() -> None:
    script = (WRITE, says("The plan."))
    people = [(ANN, Role.OWNER), (BOB, Role.MEMBER)]
    async with stage(*script, tools=[writing()], people=people) as scene:
        await scene.store.chats.at(HOME, private=True)
        await scene.say("/plan write x", BOB, at=WITH_BOB)
        await scene.settled()
        await scene.until(lambda: labels(at(scene, HOME)))
        assert labels(at(scene, HOME)) == [APPROVE, CANCEL]
        card = at(scene, WITH_BOB)
        assert labels(card) == [f"{CHANGE}…", CANCEL]
        forged = card.piece.body["buttons"][0][0]["data"]
        assert await scene.press_data(forged, ANN, card.id, HOME) == ELSEWHERE
        (plan,) = scene.store.rows.plans.values()
        assert plan.state is PlanState.READY
