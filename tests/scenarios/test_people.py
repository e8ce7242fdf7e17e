"""People: who governs them, what each may do, and what ends with them."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from bot.domain.change import Change, InboundState, JoinPeople
from bot.domain.consent.approval import ApprovalState
from bot.domain.money.budget import CallKind, Cause
from bot.domain.talk.message import Address, InboundMessage, Quote
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.talk.reach import Level
from bot.domain.tools.tool import Code, Effect, Status
from bot.domain.turn.turn import TurnState
from bot.ports.members import OpenWork
from tests.fakes.model import Gate, Step, call, calls, says
from tests.fakes.store import MemoryPeople
from tests.fakes.store_members import MemoryMembers
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.scenarios.tools import ScenarioTool, looking, tool, writing
from tests.words import (
    APPROVED,
    BOB_ASKS,
    CARD_STOPPED,
    DENIED_ALONE,
    FOR_GOOD,
    OWNERS_RIGHTS,
    SAME_PERSON,
    STILL_OPEN,
    TOGETHER,
    TWO_A_MINUTE,
)

THEIRS = Address("fake", "2")
_BOTH = ((ANN, Role.OWNER), (BOB, Role.MEMBER))


@asynccontextmanager
async def group(*script: Step, tools: Sequence[ScenarioTool] = ()) -> AsyncGenerator[Stage]:
    """A stage in a group of Ann, who owns the bot, and Bob."""
    async with stage(*script, tools=tools, people=_BOTH) as scene:
        await scene.store.chats.at(HOME, private=False)
        yield scene


async def commanded(scene: Stage, command: str, told: str) -> None:
    await scene.say(command)
    await scene.shows(told)


async def replying(scene: Stage, command: str, account: str | None) -> None:
    quote = Quote("hello", "Carl", own=False, message_id="q", account=account)
    now = scene.clock.now()
    message = InboundMessage(HOME, ANN, f"r-{command}", command, now, quote=quote)
    await scene.application.parts.intake.accept("fake", (scene.channel.update(message),))


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            "/people",
            "`fake:2` · may talk; an owner approves their changes and commands · "
            "may use all tools · messages: no limit · asked me nothing yet",
        ),
        ("/rights 2", "write it behind the number, as in `/rights 2 commands off`:"),
        ("/rights 2 commands maybe", "on or off, not `maybe`"),
        ("/rights 2 commands", "`commands` needs a value"),
        ("/rights 2 flying on", "no right called `flying`. Nothing was changed."),
        ("/rights 2 tools look,fly", "no tool `fly`"),
        ("/rights 2 tools look, pace 3/min", "tools look · pace 3/min"),
        ("/rights 2 pace fast", "`fast` is not a rate"),
        ("/rights 1 commands off", "Owners may do everything"),
        ("/rights 9 commands off", "fake:9 has no access"),
        ("/rights", "Who?"),
        ("/rights", "as in `/rights 42 commands off`:"),
        ("/link 2 fake:1", f"{OWNERS_RIGHTS} Nothing was changed. Send `/link fake:1 fake:2`"),
        ("/link 2 fake:2", "is Bob already"),
        ("/link 2 5", "Which second account? Write it as in `/link fake:2 discord:77`."),
        ("/link 9 fake:5", "fake:9 has no access"),
        ("/revoke 1", "cannot take back your own access"),
        ("/allow terminal:1", "Who? Write their number, as in `/allow 42`"),
        ("/link 2 terminal:5", "Which second account?"),
        ("/link terminal:5 fake:2", "Who?"),
        ("/terminal", "No such terminal was here."),
        ("/terminal eve", "No such terminal was here."),
    ],
)
async def test_owners_are_told_what_they_did_or_meant(command: str, told: str) -> None:
    async with stage(tools=[looking()], people=_BOTH) as scene:
        await commanded(scene, command, told)


@pytest.mark.parametrize("command", ["/people", "/rights 1", "/link 1 fake:2", "/revoke 1"])
async def test_members_do_not_govern(command: str) -> None:
    async with stage(people=_BOTH) as scene:
        await scene.say(command, BOB)
        await scene.shows("Only an owner can use")


async def test_a_reply_means_the_author_of_the_message() -> None:
    async with stage() as scene:
        await replying(scene, "/allow", "fake:7")
        await scene.shows("Carl (fake:7) can use me now")
        await replying(scene, "/rights commands off", "fake:7")
        await scene.shows("commands off")
        await replying(scene, "/link fake:8", "fake:7")
        await scene.shows(f"fake:8 is now a second account of Carl: {SAME_PERSON}")
        await replying(scene, "/revoke", "fake:8")
        await scene.shows("Carl (fake:7, fake:8) can no longer use me and gets no answer.")
        await replying(scene, "/allow ", None)
        await scene.shows("Who?")


@pytest.mark.parametrize(
    ("private", "told", "example"),
    [
        (True, "Who? Write their number, as in `/allow 42`. They see", "A user name is not enough"),
        (False, "Who? Mention them, as in `/allow @Bob`, or write", "A name without a mention"),
    ],
)
async def test_a_command_from_a_list_is_no_reply(private: bool, told: str, example: str) -> None:
    async with stage(people=_BOTH) as scene:
        await scene.store.chats.at(HOME, private=private)
        now = scene.clock.now()
        message = InboundMessage(HOME, ANN, "listed", "/allow", now, private, posted=False)
        await scene.application.parts.intake.accept("fake", (scene.channel.update(message),))
        shown = await scene.shows(told)
        assert example in shown
        assert "reply" not in shown


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("/about I am Bob.", "from your next message on"),
        ("/schedule every day at 06:00 | water the plants", "water the plants"),
    ],
)
async def test_somebody_who_used_only_commands_is_joined_after_a_question(
    said: str, told: str
) -> None:
    async with stage(people=_BOTH) as scene:
        await scene.say(said, BOB)
        await scene.shows(told)
        await commanded(scene, "/link 1 fake:2", "is a member and has used me before")
        ann, bob = [await scene.store.people.by_sender(one) for one in (ANN, BOB)]
        assert ann != bob


async def test_a_linked_account_is_the_same_person() -> None:
    async with stage(says("Hello."), people=_BOTH) as scene:
        await scene.say("hi", BOB)
        await scene.settled()
        await commanded(scene, "/allow 5", "fake:5 can use me now")
        await commanded(scene, "/link 2 fake:5", f"second account of Bob: {SAME_PERSON}")
        bob = await scene.store.people.by_sender(BOB)
        assert await scene.store.people.by_sender(Sender("fake", "5", "B.")) == bob


async def used(scene: Stage) -> tuple[Person, Person]:
    """Lets Bob have an answer; returns Ann and Bob, in this order."""
    await scene.say("hi", BOB)
    await scene.settled()
    ann, bob = await scene.store.people.by_sender(ANN), await scene.store.people.by_sender(BOB)
    assert ann is not None
    assert bob is not None
    return ann, bob


async def test_two_people_become_one_by_a_press_of_an_owner() -> None:
    async with stage(says("Hello."), says("Again."), people=_BOTH) as scene:
        ann, bob = await used(scene)
        await scene.say("/link 1 fake:2")
        assert await scene.shows("is a member") == (
            "Bob (fake:2) is a member and has used me before. If this is the same person as "
            "Ann (fake:1), press the button. Then their notes, answers, rules, tasks, goals and "
            "costs count for Ann (fake:1), whose rights as an owner hold on both accounts. "
            f"{FOR_GOOD}"
        )
        assert await scene.store.people.by_sender(BOB) == bob
        assert "Only an owner" in await scene.press(TOGETHER, BOB)
        assert await scene.store.people.by_sender(BOB) == bob
        await scene.press(TOGETHER)
        await scene.shows(f"fake:2 is now a second account of Ann: {SAME_PERSON}")
        assert await scene.store.people.by_sender(BOB) == ann
        linked = [line for line in scene.store.rows.audit if line.action == "person.linked"]
        assert [(line.person, line.subject) for line in linked] == [(ann.id, "fake:2")]
        await scene.say("again", BOB)
        await scene.shows("Again.")
        assert {turn.asker for turn in scene.store.rows.turns.values()} == {ann.id}
        assert {row.person for row in scene.store.rows.inbox.values()} <= {ann.id, None}


async def test_the_word_joins_as_the_button_does_and_takes_all_accounts_along() -> None:
    async with stage(says("Hello."), people=_BOTH) as scene:
        ann, _ = await used(scene)
        await commanded(scene, "/link 2 fake:5", SAME_PERSON)
        await commanded(scene, "/link 1 fake:5", f"fake:2 will belong to Ann too. {FOR_GOOD}")
        await commanded(scene, "/link 1 fake:5 JOIN", "fake:5, fake:2 are now accounts of Ann")
        assert {one.id for _, one in await scene.store.people.accounts()} == {ann.id}
        await commanded(scene, "/link 1 fake:2 join", "fake:2 is Ann already.")


async def test_accounts_too_long_for_a_button_are_joined_by_the_word() -> None:
    stays, leaves = Sender("discord", "9" * 20, "Bob"), Sender("discord", "8" * 20, "Bob")
    people = ((ANN, Role.OWNER), (stays, Role.MEMBER), (leaves, Role.MEMBER))
    async with stage(people=people) as scene:
        await commanded(scene, f"/link {leaves.key} discord:5", SAME_PERSON)
        await scene.say(f"/link {stays.key} {leaves.key}")
        asked = await scene.shows(f"Bob ({leaves.key}) is a member")
        assert f"Bob ({stays.key}), send `/link {stays.key} {leaves.key} join`" in asked


async def test_nobody_is_joined_while_something_of_theirs_is_open() -> None:
    async with stage(calls(call("a", "write")), tools=[writing()], people=_BOTH) as scene:
        await scene.grant(BOB, Level.CHANGES)
        await scene.say("write", BOB)
        await scene.parked()
        bob = await scene.store.people.by_sender(BOB)
        for words in ("/link 1 fake:2", "/link 1 fake:2 join"):
            await scene.say(words)
            await scene.shows(f"{STILL_OPEN} Bob (fake:2): wait until it is done")
        assert await scene.store.people.by_sender(BOB) == bob


async def test_an_owner_does_not_lose_their_rights_by_a_join() -> None:
    async with stage(says("Hello."), people=_BOTH) as scene:
        ann, bob = await used(scene)
        await commanded(scene, "/link 2 fake:1 join", f"fake:1 is yours, and {OWNERS_RIGHTS}")
        assert await scene.store.people.accounts() == [(ANN.key, ann), (BOB.key, bob)]
        await commanded(scene, "/link 1 fake:2 join", SAME_PERSON)


async def test_a_message_that_was_read_before_a_join_is_answered_to_the_one_who_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with stage(says("Hello."), says("Late."), people=_BOTH) as scene:
        ann, bob = await used(scene)
        known = MemoryPeople.by_sender

        async def and_joined(people: MemoryPeople, sender: Sender) -> Person | None:
            found = await known(people, sender)
            if found == bob:
                await scene.store.journal.commit(Change((JoinPeople(bob.id, ann.id),)))
            return found

        monkeypatch.setattr(MemoryPeople, "by_sender", and_joined)
        await scene.say("late", BOB)
        await scene.shows("Late.")
        assert {turn.asker for turn in scene.turns} == {ann.id}
        assert {row.person for row in scene.store.rows.inbox.values()} == {ann.id}


async def test_a_message_that_comes_right_before_a_join_holds_it_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = Gate()
    async with stage(says("Hello."), gate, says("Late."), people=_BOTH) as scene:
        ann, bob = await used(scene)
        stood, came = MemoryMembers.open_work, list[str]()

        async def and_written(members: MemoryMembers, person: int) -> OpenWork:
            found = await stood(members, person)
            if not came:
                came.append(await scene.say("late", BOB, at=THEIRS))
                await gate.reached()
            return found

        monkeypatch.setattr(MemoryMembers, "open_work", and_written)
        await commanded(scene, "/link 1 fake:2 join", f"{STILL_OPEN} Bob (fake:2)")
        assert await scene.store.people.by_sender(BOB) == bob
        gate.open()
        await scene.shows_in(THEIRS, "Late.")
        await commanded(scene, "/link 1 fake:2 join", SAME_PERSON)
        assert {turn.asker for turn in scene.turns} == {ann.id}


async def test_the_day_of_both_counts_for_the_budget_at_once() -> None:
    async with stage(says("Hello."), says("Hi."), people=_BOTH) as scene:
        ann, _ = await used(scene)
        await scene.say("hi")
        await scene.shows("Hi.")
        cause = Cause(CallKind.ANSWER, person=ann.id)
        till = scene.application.parts.rooms.money.till
        await commanded(scene, "/budget person 5", "$5")
        (alone,) = await till.purses(cause)
        await commanded(scene, "/link 1 fake:2 join", SAME_PERSON)
        (both,) = await till.purses(cause)
        assert both.spent == 2 * alone.spent > 0


async def test_a_hostile_name_is_shown_harmlessly() -> None:
    eve = Sender("fake", "2", "*Eve*\n- [Ann](http://evil) (owner)\u202e`")
    async with stage(people=((ANN, Role.OWNER), (eve, Role.MEMBER))) as scene:
        await scene.say("/people")
        shown = await scene.shows("Eve")
        assert r"\*Eve\* - \[Ann](http://evil) (owner) \`" in shown
        assert len(shown.splitlines()) == 2


async def test_who_may_not_run_commands_is_blocked_at_the_call_and_only_there() -> None:
    command = tool("run_command", Effect.WRITE)
    async with stage(
        calls(call("a", "run_command", {"what": "ls"}), call("b", "look")),
        says("I may not."),
        tools=[command, looking()],
        people=_BOTH,
    ) as scene:
        await commanded(scene, "/rights 2 commands off", "commands off")
        before = scene.cards
        await scene.say("list them", BOB)
        await scene.settled()
        found = {r.call_id: (r.status, r.code) for r in scene.results}
        assert found == {"a": (Status.BLOCKED, Code.POLICY), "b": (Status.SUCCESS, None)}
        assert scene.cards == before
        offered = [spec.name for spec in scene.model.requests[-1].tools]
        assert offered == ["run_command", *scene.own_tools, "look"]


async def test_narrowed_tools_refuse_all_others() -> None:
    async with stage(
        calls(call("a", "look")), says("Sorry."), tools=[looking(), writing()], people=_BOTH
    ) as scene:
        await commanded(scene, "/rights 2 tools write", "tools write")
        await scene.say("look", BOB)
        await scene.settled()
        (result,) = scene.results
        assert (result.code, result.text) == (
            Code.POLICY,
            "Not run: this person may not use look.",
        )


async def test_a_right_taken_back_counts_for_a_call_that_is_approved_already() -> None:
    async with group(
        calls(call("a", "write", {"what": "x"}), call("b", "write", {"what": "y"})),
        says("Not done."),
        tools=[writing(), looking()],
    ) as scene:
        await scene.say("write", BOB)
        await scene.parked()
        await commanded(scene, "/rights 2 tools look", "tools look")
        await scene.press("Approve", card=-1)
        await scene.press("Deny", card=0)
        await scene.settled()
        assert {r.call_id: r.code for r in scene.results} == {"a": Code.DENIED, "b": Code.POLICY}


async def test_only_an_owner_approves_for_who_may_not_and_the_card_names_one() -> None:
    async with group(
        calls(call("a", "write", {"what": "x"})), says("Done."), tools=[writing()]
    ) as scene:
        await scene.say("write x", BOB)
        await scene.parked()
        assert BOB_ASKS in scene.cards[-1].text
        assert "Always" not in str(scene.cards[-1].piece.body["buttons"])
        assert "Only an owner can approve" in await scene.press("Approve", BOB)
        assert await scene.press("Approve", ANN) == APPROVED
        await scene.settled()
        assert scene.results[0].status is Status.SUCCESS


async def test_who_may_not_approve_may_still_deny() -> None:
    async with group(
        calls(call("a", "write", {"what": "x"})), says("All right."), tools=[writing()]
    ) as scene:
        await scene.say("write x", BOB)
        assert await scene.press("Deny", BOB) == DENIED_ALONE
        await scene.settled()
        assert scene.results[0].code is Code.DENIED


async def test_where_no_owner_can_be_reached_the_call_is_blocked() -> None:
    async with stage(
        calls(call("a", "write", {"what": "x"})), says("No."), tools=[writing()], people=_BOTH
    ) as scene:
        await scene.say("write x", BOB)
        await scene.settled()
        assert scene.results[0].code is Code.UNASKABLE
        assert "no owner can be reached" in scene.results[0].text


async def test_standing_rules_do_not_count_for_who_may_not_approve() -> None:
    again = calls(call("b", "write", {"what": "x"}))
    async with group(
        calls(call("a", "write", {"what": "x"})),
        says("Done."),
        again,
        says("Denied."),
        tools=[writing()],
    ) as scene:
        await scene.grant(BOB, Level.CHANGES)
        await scene.say("write x", BOB)
        await scene.press("Always", BOB)
        await scene.settled()
        await scene.grant(BOB, Level.TALK)
        await scene.say("write x", BOB)
        await scene.press("Deny", ANN)
        await scene.settled(2)
        assert [r.code for r in scene.results] == [None, Code.DENIED]


async def test_a_clock_set_back_holds_nobody_up_and_lets_nobody_through() -> None:
    async with stage(*(says(f"{n}") for n in range(4)), people=_BOTH) as scene:
        await commanded(scene, "/rights 2 pace 2/min", "pace 2/min")
        for n in range(2):
            await scene.say("hi", BOB)
            await scene.settled(n + 1)
        scene.clock.set_wall(-3600)
        for n in range(2, 4):
            await scene.say("hi", BOB)
            await scene.settled(n + 1)
        await scene.say("one too many", BOB)
        await scene.shows(TWO_A_MINUTE)


async def test_what_comes_too_fast_is_declined_once_and_taken_by_nobody() -> None:
    async with stage(says("one"), says("two"), says("three"), people=_BOTH) as scene:
        await commanded(scene, "/rights 2 pace 2/min", "pace 2/min")
        for number in range(2):
            await scene.say("hello", BOB)
            await scene.settled(number + 1)
        await scene.say("hello", BOB)
        await scene.shows("I did not take this message. Please send it again in 60 seconds.")
        await scene.say("hello?", BOB)
        await scene.say("/status", BOB)
        await scene.shows("waiting for your decision: 0")
        await scene.shows("I did not take your last 2 messages. Please send them again in")
        assert len([text for text in scene.texts if "did not take" in text]) == 1
        states = [row.state for row in scene.store.rows.inbox.values()]
        assert states.count(InboundState.DROPPED) == 2
        await scene.clock.advance(60)
        await scene.say("hello again", BOB)
        await scene.settled(3)


@pytest.mark.parametrize(
    ("pace", "left", "told"),
    [
        ("1/h", timedelta(seconds=90), "2 minutes"),
        ("1/d", timedelta(minutes=61), "2 hours"),
        ("1/d", timedelta(hours=5), "5 hours"),
    ],
)
async def test_the_time_until_the_next_message_is_told_in_round_words(
    pace: str, left: timedelta, told: str
) -> None:
    async with stage(says("one"), people=_BOTH) as scene:
        await commanded(scene, f"/rights 2 pace {pace}", f"pace {pace}")
        await scene.say("hello", BOB)
        await scene.settled()
        span = timedelta(hours=1) if pace == "1/h" else timedelta(days=1)
        await scene.clock.advance((span - left).total_seconds())
        await scene.say("hello", BOB)
        await scene.shows(f"Please send it again in {told}.")


async def test_a_restart_forgives_no_pace_and_owners_have_none() -> None:
    async with stage(says("one"), says("two"), says("three"), people=_BOTH) as scene:
        await commanded(scene, "/rights 2 pace 1/d", "pace 1/d")
        await scene.say("hello", BOB)
        await scene.settled()
        await scene.crash()
        await scene.say("hello", BOB)
        await scene.shows("1 message a day")
        for number in (2, 3):
            await scene.say("hello")
            await scene.settled(number)


async def test_revoking_ends_a_parked_turn_with_its_card_and_drops_what_waits() -> None:
    async with group(calls(call("a", "write", {"what": "x"})), tools=[writing()]) as scene:
        await scene.say("write x", BOB)
        await scene.parked()
        await commanded(
            scene,
            "/revoke 2",
            "Bob (fake:2) can no longer use me and gets no answer. Ended: 1 request, 1 open",
        )
        turn = await scene.settled()
        await scene.shows("an owner has taken your access back")
        assert turn.state is TurnState.SETTLED
        assert [card.state for card in scene.approvals] == [ApprovalState.CANCELLED]
        await scene.shows(CARD_STOPPED)
        assert scene.cards == []
        scene.assert_whole()


async def test_revoking_stops_a_running_turn_and_its_queued_messages() -> None:
    gate = Gate()
    async with stage(gate, people=_BOTH) as scene:
        await scene.say("go", BOB)
        await gate.reached()
        await scene.say("and then", BOB)
        await commanded(scene, "/revoke 2", "Ended: 1 request, 1 waiting message.")
        await scene.settled()
        await scene.routed()
        states = [row.state for row in scene.store.rows.inbox.values()]
        assert states.count(InboundState.DROPPED) == 1
        assert len(scene.turns) == 1


async def test_a_card_set_aside_is_cancelled_with_its_asker_and_rules_do_not_come_back() -> None:
    async with group(
        calls(call("a", "write", {"what": "x"})),
        says("Done."),
        calls(call("b", "write", {"what": "y"})),
        says("Later."),
        tools=[writing()],
    ) as scene:
        await scene.grant(BOB, Level.CHANGES)
        await scene.say("write x", BOB)
        await scene.press("Always", BOB)
        await scene.settled()
        await scene.say("write y", BOB)
        await scene.parked()
        await scene.say("something else", BOB)
        await scene.settled(3)
        assert len(scene.cards) == 1
        await commanded(scene, "/revoke 2", "Ended: 1 open card.")
        await scene.shows(f"{CARD_STOPPED} by Ann")
        assert scene.store.rows.rules == {}
        await commanded(scene, "/allow 2", "fake:2 can use me now")
        again = await scene.store.people.by_sender(BOB)
        assert again is not None
        assert await scene.store.rules.of(again.id, scene.turns[0].chat) == []


async def compose(scene: Stage, text: str, quote: Quote | None = None) -> None:
    """Sends a message of Ann's that another bot wrote for her."""
    message = InboundMessage(HOME, ANN, "c1", text, scene.clock.now(), quote=quote, composed=True)
    await scene.application.parts.intake.accept("fake", (scene.channel.update(message),))


async def test_a_command_composed_by_another_bot_is_an_ordinary_message() -> None:
    async with stage(says("I see.")) as scene:
        await compose(scene, "/allow 667")
        await scene.settled()
        assert await scene.store.people.by_sender(Sender("fake", "667", "Eve")) is None


async def test_words_composed_by_another_bot_decide_no_card() -> None:
    write = calls(call("w", "write", {"what": "x"}))
    async with stage(write, says("Done."), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        shown = scene.cards[0]
        await compose(scene, "no", Quote(shown.text, "Steward", own=True, message_id=shown.id))
        await scene.routed()
        assert "They said: no" not in " ".join(r.text for r in scene.results)
        assert not any(card.reason for card in scene.approvals)
        await scene.press("Approve")
        await scene.settled()
