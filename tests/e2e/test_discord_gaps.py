"""After a gap: no press waits for the questions about it, and nothing of it is left out."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from bot.adapters.discord.messages import number_at
from bot.adapters.sql.moment import change_of
from bot.adapters.sql.tables import inbox
from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.records import Records
from tests.e2e.steward import Steward, words_in
from tests.standins.discord import Fault, Message
from tests.standins.gate import Gate
from tests.standins.messages_api import Gate as ReplyGate
from tests.standins.messages_api import calls, text, tool
from tests.words import NOT_FETCHED

pytestmark = pytest.mark.discords_own("sessions of the gateway")

WRITE = tool("write_file", {"path": "notes.txt", "content": "1.0"})


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    steward.module = "tests.e2e.brisk_program"
    async with on_discord(steward) as found:
        found.foreseen += ["Unknown Message"]
        yield found


async def with_a_card_in_a_gap(discord: OnDiscord) -> tuple[Message, Gate]:
    """A program that is asking what it missed, and an open card from before."""
    discord.steward.script(calls(WRITE), text("Written."))
    await discord.start()
    discord.say("Write")
    card = await discord.card()
    await discord.steward.recorded()
    await discord.off_for_long()
    asking = Gate()
    discord.discord.faults.order(Fault("GET", r"/messages$", "held", gate=asking))
    await discord.start()
    await asking.arrived()
    return card, asking


async def test_a_press_is_acknowledged_in_time_while_missed_messages_are_asked_for(
    discord: OnDiscord,
) -> None:
    card, asking = await with_a_card_in_a_gap(discord)
    press = discord.press(card, "✅ Approve")
    await discord.until(lambda: press.answer)
    await discord.sees("Written.")
    asking.release()
    discord.steward.script(text("Still here."))
    discord.say("There?")
    await discord.sees("Still here.")
    presses = "SELECT count(*) FROM inbox WHERE key LIKE 'press:%'"
    assert discord.steward.records.rows(presses) == [(1,)]
    answers = [call for call in discord.discord.calls if call.path.endswith("/callback")]
    assert len(answers) == 1


async def test_a_dialogue_opens_in_time_while_missed_messages_are_asked_for(
    discord: OnDiscord,
) -> None:
    card, asking = await with_a_card_in_a_gap(discord)
    press = discord.press(card, "✏️ Change")
    await discord.until(lambda: press.dialogue)
    asking.release()
    discord.press(card, "✅ Approve")
    await discord.sees("Written.")
    answers = [call for call in discord.discord.calls if call.path.endswith("/callback")]
    assert len(answers) == 2


async def test_a_press_that_has_overtaken_is_kept_over_a_kill(discord: OnDiscord) -> None:
    card, _ = await with_a_card_in_a_gap(discord)
    press = discord.press(card, "✅ Approve")
    await discord.until(lambda: press.answer)
    await discord.restart()
    await discord.sees("Written.")
    assert len([one for one in discord.shown if "Written." in one.text]) == 1


async def test_a_chat_that_cannot_be_asked_keeps_no_other_one_waiting(discord: OnDiscord) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    discord.steward.script(text("One."), text("Two."), text("Three."))
    await discord.start()
    discord.say("First")
    await discord.sees("One.")
    discord.say(f"<@{bot}> hello", at=place)
    await discord.until(lambda: discord.discord.screen(place))
    await discord.steward.recorded()
    await discord.off_for_long()
    discord.say("Missed in private")
    # The newest chat is asked first.
    never = Fault("GET", f"/channels/{place.id}/messages$", "garbled", times=1_000)
    discord.discord.faults.order(never)
    await discord.start()
    await discord.sees("Three.")
    assert NOT_FETCHED in discord.steward.output
    never.times = 0


async def test_chats_are_asked_side_by_side(discord: OnDiscord) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    discord.steward.script(text("One."), text("Two."))
    await discord.start()
    discord.say("First")
    await discord.sees("One.")
    discord.say(f"<@{bot}> hello", at=place)
    await discord.until(lambda: discord.discord.screen(place))
    await discord.steward.recorded()
    await discord.off_for_long()
    private = discord.discord.places.direct(discord.ann)
    held = [
        Fault("GET", f"/channels/{one.id}/messages$", "held", gate=Gate())
        for one in (place, private)
    ]
    for one in held:
        discord.discord.faults.order(one)
    await discord.start()
    for one in held:
        await one.gate.arrived()
    for one in held:
        one.gate.release()


async def test_an_edit_and_a_deletion_while_the_program_was_off_reach_messages_that_wait(
    discord: OnDiscord,
) -> None:
    first, again = ReplyGate(), ReplyGate()
    discord.steward.script(text("First.").held(first), text("First.").held(again), text("Second."))
    await discord.start()
    discord.say("One")
    await discord.steward.asked(1)
    waiting, gone = discord.say("Two"), discord.say("Never mind this")
    await discord.until(lambda: waiting.reactions and gone.reactions)
    await discord.steward.recorded()
    await discord.off_for_long()
    discord.discord.edit(waiting, "Two, but better")
    discord.discord.delete(gone)
    await discord.start()
    await discord.steward.asked(2)
    await discord.steward.eventually(lambda: discord.steward.records.dropped)
    again.release()
    await discord.sees("Second.")
    assert words_in(discord.steward.model.requests[2]).startswith("Two, but better")
    assert len(discord.steward.model.requests) == 3


async def test_words_that_stand_in_no_message_wait_over_a_gap(discord: OnDiscord) -> None:
    first, again = ReplyGate(), ReplyGate()
    discord.steward.script(text("First.").held(first), text("First.").held(again), text("Looked."))
    await discord.start()
    await discord.until(lambda: discord.discord.places.commands)
    said = discord.say("One")
    await discord.steward.asked(1)
    asked = discord.discord.ask_about(discord.ann, said)
    await discord.acknowledged(asked)
    await discord.steward.recorded()
    await discord.restart()
    await discord.steward.asked(2)
    looked = f"/channels/{discord.discord.places.direct(discord.ann).id}/messages"
    await discord.until(lambda: [one for one in discord.discord.calls if one.path == looked])
    again.release()
    await discord.sees("Looked.")


async def test_an_answered_message_that_was_edited_meanwhile_may_be_answered_anew(
    discord: OnDiscord,
) -> None:
    discord.steward.script(text("Tea."), text("Coffee."))
    await discord.start()
    said = discord.say("Tea?")
    await discord.sees("Tea.")
    await discord.steward.recorded()
    await discord.off_for_long()
    discord.discord.edit(said, "Coffee?")
    await discord.start()
    discord.press(await discord.card("🔁 Answer anew"), "🔁 Answer anew")
    await discord.sees("Coffee.")
    await discord.steward.recorded()
    await discord.restart()
    discord.steward.script(text("Yes."))
    discord.say("Still there?")
    await discord.sees("Yes.")
    offers = [one for one in discord.shown if "🔁 Answer anew" in one.labels]
    assert offers == [], "it was offered once more"


async def test_the_first_words_of_an_owner_while_the_program_was_off_are_answered(
    discord: OnDiscord,
) -> None:
    discord.steward.script(text("Hello, Ann."), text("Still here."))
    discord.say("Hello?")
    await discord.start()
    await discord.sees("Hello, Ann.")
    await discord.steward.recorded()
    await discord.restart()
    discord.say("There?")
    await discord.sees("Still here.")
    assert len(discord.shown) == 2


async def test_a_home_that_was_brought_back_asks_for_nothing_that_came_before(
    discord: OnDiscord,
) -> None:
    """What came after the backup was answered by the home that is gone."""
    steward = discord.steward
    steward.script(text("Blue."), text("Green."))
    await discord.start()
    discord.say("Which colour?")
    await discord.sees("Blue.")
    await steward.recorded()
    await discord.off_for_long()
    now = datetime.now(UTC)
    with change_of(f"sqlite:///{steward.home / 'steward.db'}") as connection:
        connection.execute(update(inbox).values(received_at=now - timedelta(days=1)))
    file, home = steward.folder / "b.tar.gz", steward.folder / "again"
    assert (await steward.printed_by("backup", str(file)))[0] == 0
    for before in (timedelta(hours=1), timedelta(seconds=5)):
        discord.say("And a leaf?").id = int(number_at(now - before))
    assert (await steward.printed_by("restore", str(file), "--into", str(home)))[0] == 0
    steward.home, steward.workspace = home, home / "workspace"
    steward.records = Records(home / "steward.db")
    await discord.start(STEWARD_HOME=home)
    discord.say("And which now?")
    await discord.sees("Green.")
    (_, asked) = steward.model.requests
    assert "leaf" not in str(asked.body)


async def test_of_hundreds_of_missed_messages_the_newest_that_calls_the_bot_is_answered(
    discord: OnDiscord,
) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    discord.steward.script(text("One."), text("Two."))
    await discord.start()
    discord.say(f"<@{bot}> hello", at=place)
    await discord.sees("One.", at=place)
    await discord.steward.recorded()
    await discord.off_for_long()
    for n in range(620):
        discord.say(f"talk {n}", at=place)
    discord.say(f"<@{bot}> are you there?", at=place)
    await discord.start()
    await discord.sees("Two.", at=place)


async def test_messages_that_are_too_many_to_read_are_told_to_the_owner_once(
    discord: OnDiscord,
) -> None:
    guild = discord.discord.guild("Home", discord.ann)
    place, bot = guild.channels[0], discord.discord.bot.id
    discord.steward.module = "tests.e2e.impatient_program"
    discord.steward.script(text("One."), text("Two."), text("Three."))
    await discord.start()
    discord.say("Hello")
    await discord.sees("One.")
    discord.say(f"<@{bot}> hello", at=place)
    await discord.sees("Two.", at=place)
    await discord.steward.recorded()
    await discord.off_for_long()
    for n in range(160):
        discord.say(f"talk {n}", at=place)
    await discord.start()
    told = "More than 100 messages came in “#"
    await discord.sees(told)
    await discord.steward.recorded()
    await discord.restart()
    discord.say("There?")
    await discord.sees("Three.")
    assert len([one for one in discord.shown if told in one.text]) == 1
    assert "but none from before" in next(one.text for one in discord.shown if told in one.text)


@pytest.mark.parametrize("where", ["in private", "in a server"])
async def test_somebody_is_let_in_by_a_mention_in_a_typed_command(
    discord: OnDiscord, where: str
) -> None:
    bob = discord.discord.person(700_000_000_000_000_099, "Bob")
    place = discord.discord.guild("Home", discord.ann, bob).channels[0]
    bot = discord.discord.bot.id
    await discord.start()
    if where == "in private":
        discord.say(f"/allow <@{bob.id}>")
        await discord.sees(str(bob.id))
    else:
        discord.say(f"<@{bot}> /allow <@{bob.id}>", at=place)
        await discord.sees(str(bob.id), at=place)
    known = "SELECT count(*) FROM account WHERE key = ?"
    assert discord.steward.records.rows(known, f"discord:{bob.id}") == [(1,)]
