"""The bot comes, goes and is moved: what its chats still had going on, and what owners hear."""

import asyncio

import pytest

from bot.domain.change import InboundState
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.chat import Activation
from bot.domain.talk.errors import ChannelUnreachable, ChatMoved, RecipientGone
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address, Moved, Presence, PresenceChange, Press
from bot.domain.talk.person import Sender
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState
from bot.flow.groups.news import MOST_AN_HOUR, MOST_OF_STRANGERS
from bot.ports.outbox import DeliveryState
from tests.fakes.model import RuledModel, call, calls, says
from tests.scenarios.dying import Fate, deaths
from tests.scenarios.lives import two_answers
from tests.scenarios.stage import ANN, BOB, HOME, Stage, running
from tests.scenarios.team import EVE, PEOPLE, TEAM, Group, blocks, group
from tests.scenarios.tools import looking, writing
from tests.words import (
    ADDED_BY_SOMEBODY,
    APPROVED,
    MORE_CHANGES,
    OWNER_UNKNOWN,
    OWNERS_ONLY,
    READING_ON,
    REMOVED,
    STOPPED_REMOVED,
    SUPERGROUP,
)

NEW = Address("fake", "-100200")
BOBS = Address("fake", "2")
GONE, MUTED, MEMBER, ADMIN = Presence.GONE, Presence.MUTED, Presence.MEMBER, Presence.ADMIN
WRITE = call("w", "write", {"what": "x"})


def change(
    before: Presence,
    now: Presence,
    by: Sender = EVE,
    *,
    at: Address = TEAM,
    title: str = "Team",
) -> PresenceChange:
    return PresenceChange(at, by, before, now, "group", title)


def blocked(by: Sender, at: Address) -> PresenceChange:
    return PresenceChange(at, by, MEMBER, GONE, "private")


async def news(team: Group, *changes: PresenceChange | Moved) -> list[str]:
    """What the owner has heard once these have happened."""
    await team.happens(*changes)
    await team.scene.routed()
    await team.scene.application.parts.way_out.delivery.flushed()
    return team.scene.texts


async def approve(team: Group) -> str:
    """Presses the first button of the newest card where it stands; returns the private answer."""
    card = team.scene.cards[-1]
    data = card.piece.body["buttons"][0][0]["data"]
    told = len(team.scene.channel.acknowledged)
    await team.happens(Press(card.address, ANN, data, "h", card.id, private=False))
    await team.scene.until(lambda: len(team.scene.channel.acknowledged) > told)
    return team.scene.channel.acknowledged[-1][1]


async def one_chat(team: Group) -> None:
    """Waits until the two chats of the group are one."""
    rows = team.scene.store.rows
    await team.scene.until(lambda: sum(c.address != HOME for c in rows.chats.values()) == 1)


async def test_an_owner_hears_where_the_bot_was_added_and_by_whom():
    async with group() as team:
        [told] = await news(team, change(GONE, MEMBER, BOB))
        assert told.startswith("“Bob” (fake:2) added me to the group “Team”.")
        assert "mentions me or replies to me" in told
        assert "do not know" not in told
        assert team.texts == []


def of_server(before: Presence, now: Presence, *chats: str) -> PresenceChange:
    first, *more = (Address("fake", chat) for chat in chats)
    return PresenceChange(first, None, before, now, "group", "Home", tuple(more))


async def test_a_server_is_left_at_once_with_all_its_known_channels_and_told_of_once():
    async with group(calls(WRITE), says("Other."), tools=[writing()]) as team:
        await team.ask("write it")
        await team.scene.until(lambda: team.scene.cards)
        await team.ask("hello", chat="-200")
        await team.scene.until(
            lambda: "Other." in team.scene.channel.texts(Address("fake", "-200"))
        )
        left = of_server(MEMBER, GONE, "-100", "-200", "-300")
        assert await news(team, left) == ["I am no longer in “Home”. Ended there: 1 request."]
        await team.scene.until(lambda: team.scene.turns[0].state is TurnState.SETTLED)
        assert len(await news(team, left)) == 1, "what is known already is no news"
        told = await news(team, of_server(GONE, MEMBER, "-100", "-200"))
        assert told[-1].startswith("I am in “Home” again. I answer there when somebody whom")
        lines = [line for line in team.scene.store.rows.audit if line.action == "bot.membership"]
        assert [line.subject for line in lines] == ["fake:-100", "fake:-200"] * 2


async def test_channels_in_which_nobody_ever_spoke_to_the_bot_are_left_without_a_word():
    async with group() as team:
        assert await news(team, of_server(MEMBER, GONE, "-100", "-200")) == []
        assert team.states() == [InboundState.DONE]


async def test_an_owner_hears_that_a_stranger_added_the_bot():
    async with group() as team:
        [told] = await news(team, change(GONE, MEMBER, EVE))
        assert ADDED_BY_SOMEBODY in told


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        (GONE, MUTED, "I cannot write there."),
        (GONE, ADMIN, "I am an administrator there."),
        (MEMBER, ADMIN, "made me an administrator of the group “Team”"),
        (ADMIN, MEMBER, "took back my administrator rights"),
        (MEMBER, MUTED, "no longer lets me write in the group “Team”"),
        (MUTED, MEMBER, "lets me write in the group “Team” again"),
        (ADMIN, GONE, "“Eve” (fake:3) removed me from the group “Team”."),
    ],
)
async def test_an_owner_hears_every_change(before: Presence, now: Presence, words: str):
    async with group() as team:
        [told] = await news(team, change(before, now))
        assert words in told


async def test_a_channel_is_told_of_as_what_it_is():
    async with group() as team:
        [told] = await news(team, PresenceChange(TEAM, EVE, GONE, ADMIN, "channel", "News"))
        assert "I do nothing in channels." in told
        assert "/context" not in told


async def test_hostile_names_cannot_leave_their_quotation_marks():
    title = "Team\u202e \x1b[31m\x00\n**b** ” by “Ann” " + "x" * 100_000
    async with group() as team:
        [told] = await news(team, change(GONE, MEMBER, Sender("fake", "3", title), title=title))
        assert "\n" not in told
        assert "\u202e" not in told
        assert "\x1b" not in told
        assert "\x00" not in told
        assert told.count("“") == told.count("”") == 2
        assert len(told) < 600


async def test_all_that_a_group_had_going_on_ends_with_the_bots_removal():
    tool = writing()
    async with group(calls(WRITE), tools=[tool]) as team:
        await team.command("/context on")
        await team.ask("write x", BOB)
        await team.scene.parked()
        await team.say("a secret", EVE)
        told = await news(team, change(MEMBER, GONE))
        turn = await team.scene.settled()
        assert told[-1].endswith("Ended there: 1 request.")
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert [a.state for a in team.scene.approvals] == [ApprovalState.CANCELLED]
        assert team.texts[-1].startswith(STOPPED_REMOVED)
        assert InboundState.HEARD not in team.states()
        assert tool.ran == []
        team.scene.assert_whole()


async def test_a_running_turn_ends_at_once():
    tool = writing()
    async with group(calls(WRITE), tools=[tool]) as team:
        await team.ask("write x")
        await team.scene.parked()
        await team.ask("wait", BOB)
        await news(team, change(MEMBER, GONE))
        await team.scene.until(
            lambda: all(t.state is TurnState.SETTLED for t in team.scene.turns) or None
        )
        assert InboundState.WAITING not in team.states()


async def test_cards_that_were_set_aside_are_withdrawn():
    async with group(calls(WRITE), says("Hello."), tools=[writing()]) as team:
        await team.ask("write x")
        await team.scene.parked()
        await team.ask("hello")
        await team.scene.settled(2)
        await news(team, change(MEMBER, GONE))
        assert [a.state for a in team.scene.approvals] == [ApprovalState.CANCELLED]


async def test_every_topic_of_the_group_ends():
    async with group(calls(WRITE), tools=[writing()]) as team:
        await team.ask("write x", topic="7")
        await team.scene.parked()
        await news(team, change(MEMBER, GONE))
        await team.scene.settled()
        assert [a.state for a in team.scene.approvals] == [ApprovalState.CANCELLED]


async def test_what_is_owed_to_a_chat_without_the_bot_is_tried_once():
    async with group(says("One.")) as team:
        team.scene.channel.fail_next(RecipientGone("bot was kicked"))
        await team.ask("first")
        await team.scene.settled()
        rows = team.scene.store.rows.outbox.values()
        assert [r.state for r in rows] == [DeliveryState.DEAD]


async def test_who_blocks_the_bot_is_told_of_to_the_others_only():
    async with group() as team:
        [told] = await news(team, blocked(BOB, BOBS), blocked(ANN, HOME), blocked(EVE, TEAM))
        assert told == "“Bob” (fake:2) has blocked me."


async def test_who_unblocks_the_bot_is_answered_again():
    async with group(says("Hello.")) as team:
        unblocked = PresenceChange(BOBS, BOB, GONE, MEMBER, "private")
        told = await news(team, blocked(BOB, BOBS), unblocked)
        assert told[-1] == "“Bob” (fake:2) has unblocked me."
        await team.ask("hi", BOB)
        await team.scene.settled()


async def test_a_flapping_membership_is_told_in_few_messages_the_last_of_which_is_true():
    flaps = [change(GONE, MEMBER), change(MEMBER, GONE)] * 10
    async with group() as team:
        told = await news(team, *flaps)
        assert len(told) == MOST_AN_HOUR
        assert told[-1].startswith("“Eve” (fake:3) removed me")
        await team.scene.clock.advance(3600)
        assert len(await news(team, change(GONE, MEMBER))) == MOST_AN_HOUR + 1


async def test_an_owner_who_never_opened_a_chat_holds_nothing_up():
    async with group(says("One.")) as team:
        team.scene.channel.fail_next(RecipientGone("bot can't initiate conversation with a user"))
        assert await news(team, change(GONE, MEMBER)) == []
        await team.ask("first")
        await team.scene.settled()
        assert team.texts == ["One."]


async def test_joining_the_supergroup_of_a_group_is_no_news():
    joined = change(GONE, MEMBER, at=NEW)
    async with group(says("One.")) as team:
        await team.ask("first")
        await team.scene.settled()
        assert await news(team, Moved(TEAM, NEW), joined, change(MEMBER, GONE)) == []
        told = await news(team, change(MEMBER, GONE, at=NEW), change(GONE, MEMBER, at=NEW))
        assert [text.partition(") ")[2].partition(" the")[0] for text in told] == [
            REMOVED,
            "added me to",
        ]


async def test_joining_the_supergroup_before_the_word_of_the_move_is_put_right():
    async with group(says("One.")) as team:
        await team.ask("first")
        await team.scene.settled()
        [told] = await news(team, change(GONE, MEMBER, at=NEW), Moved(TEAM, NEW))
        assert told == SUPERGROUP


async def test_a_refused_send_moves_the_chat_and_the_answer_goes_there():
    async with group(says("One.")) as team:
        word = team.scene.channel.update(Moved(TEAM, NEW))
        team.scene.channel.fail_next(ChatMoved("group chat was upgraded", word))
        await team.ask("first")
        await team.scene.settled()
        await team.scene.routed()
        await team.scene.clock.advance(1)
        await team.scene.until(lambda: team.scene.channel.texts(NEW))
        assert team.texts == []
        assert (team.chat.address, team.chat.moved_from) == (NEW, TEAM)


async def test_an_open_card_moves_with_its_group():
    async with group(calls(WRITE), says("Written."), tools=[writing()]) as team:
        await team.ask("write x")
        await team.scene.parked()
        await team.happens(Moved(TEAM, NEW))
        await team.scene.until(lambda: team.scene.channel.texts(NEW))
        assert await approve(team) == APPROVED
        await team.scene.settled()
        assert "Written." in team.scene.channel.texts(NEW)


@pytest.mark.parametrize("times", [1, 2])
async def test_messages_before_the_word_of_the_move_end_in_the_one_chat(times: int):
    async with group(says("One."), says("Two."), says("Three.")) as team:
        await team.command("/activation always")
        await team.ask("first")
        await team.scene.settled()
        await team.ask("second", chat=NEW.chat)
        await team.scene.settled(2)
        await team.happens(*[Moved(TEAM, NEW)] * times)
        await one_chat(team)
        await team.say("third", BOB, chat=NEW.chat)
        await team.scene.settled(3)
        said = [t for t in blocks(team.scene.model.requests[-1]) if t in ("One.", "Two.")]
        assert said == ["One.", "Two."]
        assert team.chat.settings.activation is Activation.ALWAYS
        assert team.scene.channel.texts(NEW) == ["Two.", "Three."]


async def test_a_card_open_in_the_old_group_is_set_aside_by_the_joining_and_still_decides():
    tool = writing()
    async with group(calls(WRITE), says("Two."), says("Written."), tools=[tool]) as team:
        await team.ask("write x")
        await team.scene.parked()
        await team.ask("second", chat=NEW.chat)
        await team.scene.until(lambda: team.scene.channel.texts(NEW))
        await team.happens(Moved(TEAM, NEW))
        await one_chat(team)
        await team.scene.until(lambda: len(team.scene.channel.texts(NEW)) == 2 or None)
        card = team.scene.cards[-1]
        assert card.address == NEW
        await approve(team)
        await team.scene.shows_in(NEW, "Written.")
        assert len(tool.ran) == 1


async def test_a_card_open_in_the_new_group_is_decided_after_the_joining():
    tool = writing()
    async with group(says("One."), calls(WRITE), says("Written."), tools=[tool]) as team:
        await team.ask("first")
        await team.scene.settled()
        await team.ask("write x", chat=NEW.chat)
        await team.scene.parked()
        await team.happens(Moved(TEAM, NEW))
        await one_chat(team)
        await approve(team)
        await team.scene.shows_in(NEW, "Written.")
        assert "One." in blocks(team.scene.model.requests[-1])


async def test_a_move_that_waits_is_dropped_by_no_command():
    async with group(calls(WRITE), says("Two."), tools=[writing()]) as team:
        await team.ask("write x")
        await team.scene.parked()
        await team.ask("second", chat=NEW.chat)
        await team.scene.until(lambda: team.scene.channel.texts(NEW))
        await team.happens(Moved(TEAM, NEW))
        await team.ask("/stop all", chat=TEAM.chat)
        await one_chat(team)


async def test_a_group_belongs_to_its_owner_for_what_is_heard_there():
    async with group() as team:
        team.scene.groups.owners.add(("-100", "fake:2"))
        assert READING_ON in await team.command("/context on", BOB)
        assert "every message" in await team.command("/activation always", BOB)
        assert team.chat.settings.listens
        assert team.scene.groups.asked == ["fake:2", "fake:2"]
        team.scene.groups.owners.clear()
        assert OWNERS_ONLY in await team.command("/context off", BOB)
        assert team.chat.settings.listens


async def test_whose_group_it_is_may_not_be_told():
    async with group() as team:
        team.scene.groups.fault = ChannelUnreachable("no answer", maybe_done=False)
        assert OWNER_UNKNOWN in await team.command("/context on", BOB)
        assert not team.chat.settings.listens


async def test_an_owner_of_the_bot_is_never_asked_about():
    async with group() as team:
        await team.command("/context on")
        assert team.scene.groups.asked == []


async def through_death(
    scene: Stage, fate: Fate, nth: int | None, inbound: PresenceChange | Moved
) -> int:
    """Hands an update in and dies at the nth write from there; the platform sends it again.

    Returns how many writes were made of it in the first life.
    """
    update = scene.channel.update(inbound)
    begun = fate.writes
    fate.at = nth and begun + nth
    taken = asyncio.create_task(scene.application.parts.intake.accept("fake", (update,)))
    for _ in range(500):
        await asyncio.sleep(0)
    writes = fate.writes - begun
    assert fate.died.is_set() == (nth is not None)
    if fate.died.is_set():
        taken.cancel()
        await scene.crash()
        await scene.application.parts.intake.accept("fake", (update,))
    return writes


async def _removed(nth: int | None, *, after: bool) -> int:
    fate = Fate(None, after=after)
    scene = Stage(RuledModel(two_answers), [looking(), writing()], Limits(), fate)
    async with running(scene, PEOPLE):
        await Group(scene).ask("write x")
        await scene.parked()
        writes = await through_death(scene, fate, nth, change(MEMBER, GONE))
        assert (await scene.settled()).stop_reason is StopReason.USER_CANCELLED
        assert [a.state for a in scene.approvals] == [ApprovalState.CANCELLED]
        assert [text.partition(") ")[2].partition(" the")[0] for text in scene.texts] in (
            [REMOVED],
            # The answer of the platform was lost with the process: one copy more.
            [REMOVED] * 2,
        )
        scene.assert_whole()
    return writes


@pytest.mark.parametrize(("nth", "after"), deaths(_removed(None, after=False)))
async def test_a_removal_survives_death_at_any_write(nth: int, after: bool):
    await _removed(nth, after=after)


async def test_a_removal_without_a_death_is_the_measure():
    assert await _removed(None, after=False) > 1


async def _joined(nth: int | None, *, after: bool) -> int:
    fate = Fate(None, after=after)
    scene = Stage(RuledModel(two_answers), [looking(), writing()], Limits(), fate)
    async with running(scene, PEOPLE):
        team = Group(scene)
        await team.ask("write x")
        await scene.parked()
        await team.ask("second", chat=NEW.chat)
        await scene.shows_in(NEW, "Second answer.")
        await scene.application.parts.way_out.delivery.flushed()
        writes = await through_death(scene, fate, nth, Moved(TEAM, NEW))
        await one_chat(team)
        await scene.settled(2)
        log = sorted(scene.store.rows.entries)
        assert log == [(team.chat.id, n) for n in range(1, len(log) + 1)]
        assert team.chat.last_seq == len(log)
        assert [a.state for a in scene.approvals] == [ApprovalState.OPEN]
        assert await approve(team) == APPROVED
    return writes


@pytest.mark.parametrize(("nth", "after"), deaths(_joined(None, after=False)))
async def test_a_joining_survives_death_at_any_write(nth: int, after: bool):
    await _joined(nth, after=after)


async def test_a_joining_without_a_death_is_the_measure():
    assert await _joined(None, after=False) > 1


async def test_strangers_who_add_the_bot_to_many_groups_are_told_of_in_a_few_messages():
    async with group() as team:
        groups = [Address("fake", f"-{n}") for n in range(1000, 1150)]
        told = await news(team, *(change(GONE, MEMBER, at=one) for one in groups))
        assert len(told) == MOST_OF_STRANGERS + 1
        assert told[-1].startswith(MORE_CHANGES)
        known = await news(team, change(GONE, MEMBER, BOB, at=Address("fake", "-2000")))
        assert len(known) == MOST_OF_STRANGERS + 2


async def test_topics_that_strangers_open_make_no_chats():
    async with group(says("Hi.")) as team:
        for topic in range(30):
            await team.say("hello", EVE, topic=str(topic), to_bot=True)
        await team.scene.routed()
        addresses = {chat.address.thread for chat in team.scene.store.rows.chats.values()}
        assert addresses <= {None}
        await team.ask("hello", BOB, topic="5")
        await team.scene.settled()
        assert "5" in {chat.address.thread for chat in team.scene.store.rows.chats.values()}
