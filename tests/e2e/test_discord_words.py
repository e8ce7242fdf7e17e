"""Words that a message asks for are typed in a dialogue, whichever message asks."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward
from tests.standins.discord import Interaction, Message
from tests.standins.messages_api import calls, text, tool
from tests.words import NOTE_SAYS, NOTE_UNDONE, NOTES_OF_OTHERS, UNDO, WHAT_NOTE

pytestmark = pytest.mark.discords_own("dialogues")

NUTS, EGGS = "Ann eats no nuts.", "Ann eats no eggs."


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        yield found


async def opened(discord: OnDiscord, message: Message, label: str) -> Interaction:
    """Press a button that opens a dialogue."""
    press = discord.press(message, label)
    await discord.until(lambda: press.dialogue)
    return press


def hint(press: Interaction) -> str:
    assert press.dialogue is not None
    [field] = press.dialogue["components"][0]["components"]
    return str(field.get("placeholder", ""))


def begun_with(press: Interaction) -> str:
    assert press.dialogue is not None
    [field] = press.dialogue["components"][0]["components"]
    return str(field.get("value", ""))


async def filled(discord: OnDiscord, press: Interaction, words: str) -> None:
    await discord.acknowledged(discord.discord.fill(press, words))


async def test_a_note_is_changed_in_a_dialogue_that_outlives_a_death(discord: OnDiscord) -> None:
    discord.steward.script(calls(tool("remember", {"note": NUTS})), text("I will."))
    await discord.start()
    discord.say("Remember: no nuts")
    await discord.sees("I will.")
    discord.say("/memory")
    discord.press(await discord.sees("My notes:"), "1")
    press = await opened(discord, await discord.card("✏️ Change"), "✏️ Change")
    assert hint(press) == "What should the note say?"
    assert begun_with(press) == NUTS
    await discord.steward.recorded()
    await discord.restart()
    await filled(discord, press, EGGS)
    shown = await discord.sees(NOTE_SAYS.format(EGGS))
    assert not [one for one in discord.shown if WHAT_NOTE in one.text], "it was asked twice"
    discord.press(shown, UNDO)
    await discord.sees(NOTE_UNDONE)
    assert discord.steward.records.rows("SELECT text FROM note") == [(NUTS,)]


async def test_words_that_do_not_fit_are_asked_for_again_with_a_button(discord: OnDiscord) -> None:
    discord.steward.script(calls(tool("remember", {"note": NUTS})), text("I will."))
    await discord.start()
    discord.say("Remember: no nuts")
    await discord.sees("I will.")
    discord.say("/memory")
    discord.press(await discord.sees("My notes:"), "1")
    press = await opened(discord, await discord.card("✏️ Change"), "✏️ Change")
    await filled(discord, press, "eggs " * 200)
    again = await discord.sees("A note has at most 500 characters")
    await discord.steward.recorded()
    await filled(discord, await opened(discord, again, "✏️ Answer…"), EGGS)
    await discord.sees(NOTE_SAYS.format(EGGS))
    assert discord.steward.records.rows("SELECT text FROM note") == [(EGGS,)]


async def test_a_task_gets_new_times_in_a_dialogue_however_often(discord: OnDiscord) -> None:
    await discord.start()
    discord.say("/schedule every day at 06:00 | water the plants")
    now = "every day at 06:00"
    for times in ("every day at 07:30", "every day at 08:30", "every day at 07:30"):
        discord.press(await discord.card("✏️ Edit"), "✏️ Edit")
        press = await opened(discord, await discord.card("🕘 Times…"), "🕘 Times…")
        assert hint(press).startswith("When should it run?")
        assert begun_with(press) == now
        now = times
        before = len(discord.shown)
        await filled(discord, press, times)
        await discord.until(lambda before=before: len(discord.shown) > before)
        await discord.sees(times.removeprefix("every day at "))
    discord.press(await discord.card("✏️ Edit"), "✏️ Edit")
    press = await opened(discord, await discord.card("💬 Words…"), "💬 Words…")
    assert begun_with(press) == "water the plants"
    said = discord.steward.records.rows("SELECT said FROM task")
    assert said == [("every day at 07:30",)]


async def test_words_of_somebody_else_change_no_note_and_are_no_message(
    discord: OnDiscord,
) -> None:
    bob = discord.discord.person(700_000_000_000_000_077, "Bob")
    guild, bot = discord.discord.guild("Home", discord.ann, bob), discord.discord.bot.id
    place = guild.channels[0]
    discord.steward.script(calls(tool("remember", {"note": NUTS})), text("I will."))
    await discord.start(STEWARD_ALLOWED=f"discord:{bob.id}")
    discord.say(f"<@{bot}> remember: no nuts", at=place)

    async def card(label: str) -> Message:
        def found() -> list[Message]:
            return [m for m in discord.discord.screen(place) if label in m.labels]

        return (await discord.until(found))[-1]

    await discord.until(lambda: [m for m in discord.discord.screen(place) if "I will." in m.text])
    discord.say(f"<@{bot}> /memory", at=place)
    discord.press(await card("1"), "1")
    press = discord.press(await card("✏️ Change"), "✏️ Change", bob)
    await discord.until(lambda: press.dialogue)
    assert begun_with(press) == "", "he may not change it"
    await filled(discord, press, EGGS)
    await discord.until(
        lambda: [m for m in discord.discord.screen(place) if NOTES_OF_OTHERS in m.text]
    )
    await discord.steward.recorded()
    assert discord.steward.records.rows("SELECT text FROM note") == [(NUTS,)]
    assert len(discord.steward.model.requests) == 2
