"""A stranger writes, and an owner lets them in or ignores them."""

import pytest

from bot.domain.talk.message import Address, Press
from bot.domain.talk.person import Role, Sender
from bot.flow.arrivals.doorway import MOST_GREETED
from bot.flow.arrivals.knocking import MOST_A_DAY
from bot.flow.people.knocks import KNOCK_BUTTONS
from bot.flow.people.letting_in import LET_IN
from tests.fakes.channel import Shown
from tests.fakes.model import says
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.words import ADMITTED, DEAD_BUTTON, DECIDED_ALREADY, IGNORED, OWNERS_DECIDE

_BOBS = Address("fake", "2")
_CY = Sender("fake", "3", "Cy")
_CYS = Address("fake", "3")


def knocks(scene: Stage) -> list[Shown]:
    """The cards about strangers that nobody has decided yet."""
    return [
        card
        for card in scene.cards
        if card.piece.body["buttons"][0][0]["data"][0] == KNOCK_BUTTONS.letter
    ]


async def test_a_stranger_whom_an_owner_lets_in_is_told_and_answered() -> None:
    async with stage(says("Hello Bob.")) as scene:
        await scene.say("let me in", BOB)
        await scene.shows("I have told my owner that you wrote. Your number is 2.")
        card = await scene.shows("👋 “Bob” (number 2) wants to use me.")
        assert "They wrote to me on Fake. I do not keep what strangers write" in card
        assert "Let in to chat: they can chat with me. I ask you before" in card
        assert "Ignore: they get no answer" in card
        assert "let me in" not in card
        assert await scene.press("Let in") == ""
        await scene.shows(ADMITTED)
        await scene.until(lambda: LET_IN in scene.channel.texts(_BOBS))
        assert knocks(scene) == []
        await scene.say("hello", BOB)
        await scene.shows("Hello Bob.")
        (line,) = [one for one in scene.store.rows.audit if one.action == "person.allowed"]
        assert (line.person, line.subject) == (1, "fake:2")


async def test_the_words_of_a_stranger_are_not_kept() -> None:
    async with stage(says("Hello.")) as scene:
        for text in ("let me in", "and again", "/start a-code-that-is-none", "my whole life"):
            await scene.say(text, BOB)
        await scene.shows("wants to use me")
        await scene.routed()
        assert [row.body for row in scene.store.rows.inbox.values()] == [""] * 4
        await scene.say("hello")
        await scene.settled()
        *strangers, own = scene.store.rows.inbox.values()
        assert own.body, "what a known person writes is kept"
        assert not any(row.body for row in strangers)


async def test_a_crowd_of_strangers_makes_few_chats() -> None:
    async with stage() as scene:
        for number in range(100, 100 + MOST_GREETED + 30):
            sender, home = Sender("fake", str(number), "Crowd"), Address("fake", str(number))
            await scene.say("let me in", sender, at=home)
        await scene.routed()
        assert len(scene.store.rows.chats) <= MOST_GREETED + 1
        assert len(scene.store.rows.greetings) == MOST_GREETED
        await scene.clock.advance(86_400)
        await scene.say("let me in", BOB, at=_BOBS)
        await scene.until(lambda: scene.channel.texts(_BOBS))
        assert len(scene.store.rows.greetings) == 1


async def test_a_stranger_who_is_ignored_hears_nothing_more() -> None:
    async with stage() as scene:
        await scene.say("let me in", BOB)
        await scene.press("Ignore")
        await scene.shows(IGNORED)
        before = scene.texts
        await scene.clock.advance(2 * 86_400)
        await scene.say("hello?", BOB)
        await scene.routed()
        assert scene.texts == before
        assert await scene.store.people.by_sender(BOB) is None
        await scene.say("/allow 2")
        await scene.shows("fake:2 can use me now.")


async def test_a_stranger_let_in_by_command_is_told_and_every_open_card_says_so() -> None:
    people = ((ANN, Role.OWNER), (_CY, Role.OWNER))
    async with stage(people=people) as scene:
        await scene.say("let me in", BOB, at=_BOBS)
        await scene.clock.advance(86_400)
        await scene.say("let me in, please", BOB, at=_BOBS)
        await scene.until(lambda: len(knocks(scene)) == 4)
        (data, *_) = [b["data"] for row in knocks(scene)[0].piece.body["buttons"] for b in row]
        (old, *_) = knocks(scene)
        await scene.say("/allow 2")
        await scene.until(lambda: LET_IN in scene.channel.texts(_BOBS))
        await scene.until(lambda: not knocks(scene))
        told = [text for text in scene.texts if text.startswith("👋 “Bob” (number 2)")]
        assert [text.endswith(ADMITTED) for text in told] == [True, True]
        assert len([t for t in scene.channel.texts(_CYS) if t.endswith(ADMITTED)]) == 2
        assert await scene.press_data(data, ANN, old.id) == f"{DECIDED_ALREADY}."


@pytest.mark.parametrize(
    ("way", "verdict"),
    [("Let in", ADMITTED), ("Ignore", IGNORED), ("/allow 2", ADMITTED)],
)
async def test_a_decision_ends_the_cards_of_every_owner_about_this_person_alone(
    way: str, verdict: str
) -> None:
    dan = Sender("fake", "4", "Dan")
    async with stage(people=((ANN, Role.OWNER), (_CY, Role.OWNER))) as scene:
        await scene.store.chats.at(_CYS, private=True)
        for stranger in (BOB, dan):
            await scene.say("let me in", stranger, at=Address("fake", stranger.user_id))
        await scene.until(lambda: len(knocks(scene)) == 4)
        if way.startswith("/"):
            await scene.say(way)
        else:
            (bobs,) = [c for c in knocks(scene) if "“Bob”" in c.text and c.address == HOME]
            (row,) = bobs.piece.body["buttons"]
            data = next(button["data"] for button in row if way in button["label"])
            assert await scene.press_data(data, ANN, bobs.id) == ""
        await scene.until(lambda: len(knocks(scene)) == 2)
        assert ["“Dan”" in card.text for card in knocks(scene)] == [True, True]
        for home in (HOME, _CYS):
            (told,) = [text for text in scene.channel.texts(home) if text.startswith("👋 “Bob”")]
            assert told.endswith(verdict)


async def test_an_account_that_is_linked_ends_the_open_cards_about_it() -> None:
    async with stage() as scene:
        await scene.say("let me in", BOB, at=_BOBS)
        await scene.shows("wants to use me")
        await scene.say(f"/link {ANN.user_id} {BOB.key}")
        await scene.shows("✅ Linked to Ann")
        assert knocks(scene) == []


@pytest.mark.parametrize("label", ["Let in", "Ignore"])
async def test_an_open_card_changes_nothing_about_a_person_who_was_let_in_otherwise(
    label: str,
) -> None:
    async with stage() as scene:
        await scene.say("let me in", BOB, at=_BOBS)
        await scene.shows("wants to use me")
        await scene.store.people.admit(BOB, Role.MEMBER)
        people, audit = await scene.store.people.accounts(), list(scene.store.rows.audit)
        assert await scene.press(label) == ""
        await scene.shows("✅ Let in already. /revoke 2 takes access back.")
        assert knocks(scene) == []
        assert await scene.store.people.accounts() == people
        assert scene.store.rows.audit == audit
        assert LET_IN not in scene.channel.texts(_BOBS)
        assert not any("get no answer." in text for text in scene.texts)
        await scene.say("/revoke 2")
        await scene.shows("can no longer use me")
        await scene.clock.advance(86_400)
        await scene.say("hello?", BOB, at=_BOBS)
        await scene.until(lambda: len(scene.channel.texts(_BOBS)) == 2)
        assert "I have told my owner that you wrote" in scene.channel.texts(_BOBS)[-1]


async def test_a_card_of_before_lets_nobody_in_whose_access_was_taken_back_since() -> None:
    async with stage() as scene:
        await scene.say("let me in", BOB, at=_BOBS)
        await scene.shows("wants to use me")
        (card,) = knocks(scene)
        data = card.piece.body["buttons"][0][0]["data"]
        await scene.store.people.admit(BOB, Role.MEMBER)
        await scene.say("/revoke 2")
        await scene.shows("Access was taken back since.")
        assert knocks(scene) == []
        assert DECIDED_ALREADY in await scene.press_data(data, ANN, card.id)
        assert await scene.store.people.by_sender(BOB) is None


async def test_who_is_let_in_a_second_time_is_told_again() -> None:
    async with stage() as scene:
        await scene.say("let me in", BOB, at=_BOBS)
        await scene.press("Let in")
        await scene.until(lambda: scene.channel.texts(_BOBS).count(LET_IN) == 1)
        await scene.say("/revoke 2")
        await scene.shows("can no longer use me")
        await scene.say("/allow 2")
        await scene.until(lambda: scene.channel.texts(_BOBS).count(LET_IN) == 2)


async def test_who_never_wrote_in_private_gets_no_chat_by_being_let_in() -> None:
    async with stage() as scene:
        await scene.say("/allow 2")
        await scene.shows("fake:2 can use me now")
        assert len(scene.store.rows.chats) == 1


async def test_only_an_owner_decides_and_only_once() -> None:
    people = ((ANN, Role.OWNER), (_CY, Role.MEMBER))
    async with stage(people=people) as scene:
        await scene.say("let me in", BOB)
        await scene.shows("wants to use me")
        (card,) = knocks(scene)
        data = [b["data"] for row in card.piece.body["buttons"] for b in row]
        assert await scene.press_data(data[0], _CY, card.id) == OWNERS_DECIDE
        assert await scene.press_data(data[0], BOB, card.id) == OWNERS_DECIDE
        newest = max(scene.store.rows.inbox)
        assert scene.store.rows.inbox[newest].body == "", "a press of a stranger is not kept"
        assert await scene.press_data(data[1], ANN, card.id) == ""
        told = await scene.press_data(data[0], ANN, card.id)
        assert told == f"{DECIDED_ALREADY}: ignored."
        assert await scene.store.people.by_sender(BOB) is None


async def test_forged_data_lets_nobody_in() -> None:
    async with stage(says("Hi.")) as scene:
        await scene.say("hello")
        await scene.settled()
        (answer,) = scene.channel.screen.values()
        for data in ("k:in:fake:9", "k:in:9", "k:yes:fake:9", "k:in:fake:9:x"):
            assert await scene.press_data(data, ANN, answer.id) == DEAD_BUTTON
            assert await scene.press_data(data, ANN, "77") == DEAD_BUTTON
        assert len(await scene.store.people.accounts()) == 1


async def test_owners_are_asked_about_few_strangers_a_day() -> None:
    async with stage() as scene:
        for number in range(MOST_A_DAY + 3):
            await scene.say("hi", Sender("fake", str(100 + number), f"S{number}"))
        await scene.routed()
        await scene.application.parts.way_out.delivery.flushed()
        assert len(knocks(scene)) == MOST_A_DAY
        told = [text for text in scene.texts if "send this number to my owner" in text]
        assert len(told) == 3
        await scene.clock.advance(86_400)
        await scene.say("hi", Sender("fake", "200", "T"))
        await scene.until(lambda: len(knocks(scene)) == MOST_A_DAY + 1)


async def test_a_decision_is_carried_out_once_over_a_crash() -> None:
    async with stage() as scene:
        await scene.say("let me in", BOB)
        await scene.shows("wants to use me")
        (card,) = knocks(scene)
        data = card.piece.body["buttons"][0][0]["data"]
        press = Press(card.address, ANN, data, "h", card.id)
        update = scene.channel.update(press)
        await scene.application.parts.intake.accept("fake", (update, update))
        await scene.shows(ADMITTED)
        await scene.crash()
        await scene.routed()
        assert scene.channel.texts(_BOBS) == [LET_IN]
        assert len([a for a in scene.store.rows.audit if a.action == "person.allowed"]) == 1
