"""Discord: private chats, cards and plans, as a person sees them."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import Gate, Reply, calls, text, thinking, tool
from tests.words import (
    APPROVE,
    BY_PLACE,
    CHANGE,
    HOW_TO_PRESS,
)

pytestmark = pytest.mark.discords_own("dialogues, menus, commands from a list")


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        yield found


def write(path: str, content: str = "content") -> Reply:
    return thinking(f"I need {path}.") + calls(
        tool("write_file", {"path": path, "content": content})
    )


async def test_a_private_message_is_answered_beside_telegram(discord: OnDiscord) -> None:
    discord.steward.script(text("Hello **Ann**."), text("Here too."))
    await discord.start()
    discord.say("Hi")
    answer = await discord.sees("Hello **Ann**.")
    assert answer.flags & 1 << 2, "links show no preview"
    assert words_in(discord.steward.model.requests[0]).startswith("Hi")
    discord.steward.say("And you?")
    await discord.steward.sees("Here too.")
    await discord.steward.recorded()
    await discord.steward.stop()


async def test_a_plan_is_changed_in_a_dialogue_and_then_approved(discord: OnDiscord) -> None:
    discord.steward.script(
        write("one.txt"),
        text("One file."),
        write("two.txt"),
        text("Another file."),
        write("two.txt"),
        text("Done."),
    )
    await discord.start()
    discord.say("/plan write a file")
    card = await discord.card()
    discord.say("yes, go ahead")
    await discord.sees(HOW_TO_PRESS)
    press = discord.press(card, CHANGE)
    await discord.until(lambda: press.dialogue)
    await discord.steward.recorded()
    discord.discord.fill(press, "Call it two.txt")
    third = await discord.steward.asked(3)
    assert "Call it two.txt" in words_in(third)
    await discord.sees("two.txt")
    card = await discord.until(
        lambda: next((m for m in discord.shown if "two.txt" in m.text and m.components), None)
    )
    discord.press(card, APPROVE)
    await discord.until((discord.steward.workspace / "two.txt").exists)
    assert not (discord.steward.workspace / "one.txt").exists()


async def test_a_long_answer_comes_in_parts_with_whole_fences_and_a_longer_one_as_file(
    discord: OnDiscord,
) -> None:
    code = "\n".join(f"print({n})  # a line of the program" for n in range(90))
    discord.steward.script(text(f"Here:\n\n```python\n{code}\n```\n\nDone."), text("word " * 2_000))
    await discord.start()
    discord.say("A program")
    await discord.sees("Done.")
    parts = [message.text for message in discord.shown]
    assert len(parts) > 1
    assert all(part.count("```") % 2 == 0 and len(part) <= 2_000 for part in parts)
    assert parts[1].startswith("```python\n")
    discord.say("A novel")
    file = await discord.until(lambda: next((m for m in discord.shown if m.attachments), None))
    assert file.attachments[0]["data"] == ("word " * 2_000).strip().encode()


async def test_a_choice_is_the_answer_and_so_are_any_other_words(discord: OnDiscord) -> None:
    asks = calls(
        tool(
            "send_message",
            {"message": "Tea or coffee?", "is_question": True, "choices": ["Tea", "Coffee"]},
        )
    )
    discord.steward.script(asks, text("Here is your tea."), asks, text("Water, then."))
    await discord.start()
    discord.say("Make me a drink")
    asked = await discord.sees("Tea or coffee?")
    assert asked.labels == ["Tea", "Coffee"]
    await discord.steward.recorded()
    await discord.restart()
    discord.press(asked, "Tea")
    await discord.sees("Here is your tea.")
    assert words_in(discord.steward.model.requests[-1]).startswith("Tea")
    chosen = await discord.sees("✓ Tea")
    await discord.until(lambda: not discord.shown[0].labels)
    assert chosen.id == asked.id
    discord.say("Another one")
    again = await discord.sees("Tea or coffee?", times=2)
    discord.say("Water")
    await discord.sees("Water, then.")
    await discord.until(lambda: not any(one.labels for one in discord.shown))
    assert again.labels == []
    await discord.steward.recorded()


async def test_commands_are_listed_once_and_carried_out_from_the_list(
    discord: OnDiscord,
) -> None:
    discord.foreseen.append("Unknown Message")
    await discord.start()
    there = discord.discord.places
    await discord.until(lambda: there.commands)
    names = {one["name"] for one in there.commands}
    assert {"status", "plan", "rules", "Ask Steward"} <= names
    assert not [one for one in there.commands if "`" in one.get("description", "")]
    press = discord.discord.command(discord.ann, "status")
    assert await discord.notice(press) == "✓ /status"
    await discord.sees("Model")
    listed = there.commands
    await discord.restart()
    await discord.until(
        lambda: [
            c for c in discord.discord.calls if c.method == "GET" and c.path.endswith("/commands")
        ][1:]
    )
    await discord.steward.recorded()
    assert there.commands is listed, "an equal list is not set again"


async def test_the_words_of_a_command_are_suggested(discord: OnDiscord) -> None:
    await discord.start()
    typing = discord.discord.typing(discord.ann, "previews", "o")
    await discord.acknowledged(typing)
    assert typing.answer is not None
    assert {one["value"] for one in typing.answer["data"]["choices"]} == {"on", "off"}


async def test_a_message_is_asked_about_by_the_right_button(discord: OnDiscord) -> None:
    discord.foreseen.append("Unknown Message")
    eve = discord.discord.person(700_000_000_000_000_099, "Eve")
    guild = discord.discord.guild("Home", discord.ann, eve)
    discord.steward.script(text("It is a recipe."))
    await discord.start()
    await discord.until(lambda: discord.discord.places.commands)
    said = discord.discord.say(eve, "Flour, eggs, sugar", at=guild.channels[0])
    discord.discord.ask_about(discord.ann, said)
    await discord.steward.asked(1)
    assert "Flour, eggs, sugar" in words_in(discord.steward.model.requests[0])
    await discord.until(lambda: discord.discord.screen(guild.channels[0]))


async def test_a_waiting_message_changes_with_its_edit_and_goes_with_its_deletion(
    discord: OnDiscord,
) -> None:
    gate = Gate()
    discord.steward.script(text("First.").held(gate), text("Second."))
    await discord.start()
    discord.say("One")
    await discord.steward.asked(1)
    waiting, gone = discord.say("Two"), discord.say("Never mind this")
    await discord.until(lambda: waiting.reactions and gone.reactions)
    discord.discord.look_at_link(waiting)
    discord.discord.edit(waiting, "Two, but better")
    discord.discord.delete(gone)
    await discord.steward.eventually(lambda: discord.steward.records.dropped)
    gate.release()
    await discord.sees("Second.")
    assert words_in(discord.steward.model.requests[1]).startswith("Two, but better")
    assert len(discord.steward.model.requests) == 2


async def test_the_clock_is_asked_for_without_a_location(discord: OnDiscord) -> None:
    await discord.start()
    discord.say("/timezone Lisbon")
    asked = await discord.sees("From now on I use `Europe/Lisbon`")
    assert "Another city" in asked.labels
    assert BY_PLACE not in asked.labels


async def test_a_command_about_somebody_takes_a_mention(discord: OnDiscord) -> None:
    bob = discord.discord.person(700_000_000_000_000_043, "Bob")
    await discord.start()
    await discord.until(lambda: discord.discord.places.commands)
    discord.discord.command(discord.ann, "allow", f"<@{bob.id}>")
    await discord.sees(f"discord:{bob.id}")
    counted = "SELECT count(*) FROM account WHERE key = ?"
    assert discord.steward.records.rows(counted, f"discord:{bob.id}") == [(1,)]
