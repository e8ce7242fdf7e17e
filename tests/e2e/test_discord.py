"""Discord: private chats, cards and plans, as a person sees them."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.discord import Fault
from tests.standins.messages_api import Gate, Reply, calls, text, thinking, tool
from tests.words import (
    ALWAYS,
    ANSWER_ANEW,
    APPROVE,
    BY_PLACE,
    CARD_DENIED,
    CHANGE,
    DENY,
    NOT_YOURS,
    UNDO,
    UNDONE,
)

pytestmark = pytest.mark.telegrams_own


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


async def test_an_answer_grows_in_one_silent_message_and_then_stands_alone(
    discord: OnDiscord,
) -> None:
    writing = Gate()
    discord.steward.script(text("Half of it. And the whole.").in_pieces(4).held(writing, after=3))
    await discord.start()
    discord.say("Tell me")
    growing = await discord.until(lambda: discord.shown)
    assert growing[0].flags & 1 << 12, "what grows makes no sound"
    assert discord.discord.places.direct(discord.ann).typed
    writing.release()
    await discord.until(lambda: [m.text for m in discord.shown] == ["Half of it. And the whole."])
    assert discord.shown[0] is not growing[0]
    await discord.steward.recorded()


async def test_a_card_is_approved_by_a_button_after_a_restart(discord: OnDiscord) -> None:
    discord.steward.script(write("a.txt"), text("Written."))
    await discord.start()
    # After a restart nobody knows which reactions stand on a message.
    discord.foreseen.append("Unknown Emoji")
    discord.say("Write a file")
    card = await discord.card()
    await discord.steward.recorded()
    await discord.restart()
    press = discord.press(card, APPROVE)
    await discord.acknowledged(press)
    await discord.sees("Written.")
    assert (discord.steward.workspace / "a.txt").read_text() == "content"
    undone = discord.press(await discord.card(UNDO), UNDO)
    await discord.acknowledged(undone)
    await discord.sees(UNDONE)
    assert not (discord.steward.workspace / "a.txt").exists()


async def test_a_message_is_answered_anew_once_it_is_edited(discord: OnDiscord) -> None:
    discord.steward.script(text("Four."), text("Five."), text("Six."))
    await discord.start()
    said = discord.say("Two and two?")
    await discord.sees("Four.")
    discord.say("/retry")
    await discord.sees("Five.")
    discord.discord.edit(said, "Three and three?")
    offer = await discord.card(ANSWER_ANEW)
    await discord.acknowledged(discord.press(offer, ANSWER_ANEW))
    await discord.sees("Six.")


async def test_a_denial_takes_its_reason_from_a_dialogue(discord: OnDiscord) -> None:
    discord.steward.script(write("one.txt"), text("As you wish."))
    await discord.start()
    discord.say("Write")
    card = await discord.card()
    await discord.steward.recorded()
    press = discord.press(card, CHANGE)
    await discord.until(lambda: press.dialogue)
    filled = discord.discord.fill(press, "Why not *another* name?")
    await discord.acknowledged(filled)
    second = await discord.steward.asked(2)
    assert "They said: Why not *another* name?" in next(iter(results_in(second).values()))
    await discord.sees("As you wish.")
    assert CARD_DENIED in card.text
    assert list(discord.steward.workspace.iterdir()) == []


async def test_a_press_of_somebody_else_is_refused_for_their_eyes_alone(
    discord: OnDiscord,
) -> None:
    bob = discord.discord.person(700_000_000_000_000_077, "Bob")
    guild = discord.discord.guild("Home", discord.ann, bob)
    discord.steward.script(write("a.txt"), text("Fine."))
    await discord.start(STEWARD_ALLOWED=f"discord:{bob.id}")
    discord.say(f"<@{discord.discord.bot.id}> write", at=guild.channels[0])
    place = guild.channels[0]
    card = await discord.until(
        lambda: next((m for m in discord.discord.screen(place) if m.components), None)
    )
    press = discord.press(card, APPROVE, bob)
    assert NOT_YOURS in await discord.notice(press)
    discord.press(card, DENY)
    await discord.until(lambda: any("Fine." in m.text for m in discord.discord.screen(place)))


async def test_always_makes_a_rule_and_the_same_call_asks_no_more(discord: OnDiscord) -> None:
    discord.steward.script(write("n.txt"), text("First."), write("n.txt"), text("Second."))
    await discord.start()
    discord.say("Write")
    discord.press(await discord.card(), ALWAYS)
    await discord.sees("First.")
    (discord.steward.workspace / "n.txt").unlink()
    discord.say("Again")
    await discord.sees("Second.")
    assert (discord.steward.workspace / "n.txt").read_text() == "content"


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
    press = discord.press(await discord.card(), CHANGE)
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


async def test_an_answer_whose_sending_lost_its_reply_stands_once(discord: OnDiscord) -> None:
    discord.steward.script(text("Only once."))
    await discord.start()
    discord.discord.faults.order(Fault("POST", r"/messages$", "lost"))
    discord.say("Hi")
    await discord.sees("Only once.")
    await discord.steward.recorded()
    assert len(discord.shown) == 1


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
    discord.foreseen.append("Unknown Emoji")
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


async def test_files_go_both_ways(discord: OnDiscord) -> None:
    send = calls(tool("send_file", {"path": "made.txt"}))
    discord.steward.script(text("I have read it."), send, text("Sent."))
    (discord.steward.workspace / "made.txt").write_text("made here")
    await discord.start()
    discord.say("Read", files=[("list.txt", b"milk and bread", "text/plain")])
    await discord.sees("I have read it.")
    assert "milk and bread" in words_in(discord.steward.model.requests[0])
    discord.say("Send me made.txt")
    sent = await discord.until(lambda: next((m for m in discord.shown if m.attachments), None))
    assert sent.attachments[0]["data"] == b"made here"
    assert sent.attachments[0]["filename"] == "made.txt"
    await discord.sees("Sent.")


async def test_commands_are_listed_once_and_carried_out_from_the_list(
    discord: OnDiscord,
) -> None:
    discord.foreseen.append("Unknown Message")
    await discord.start()
    there = discord.discord.places
    await discord.until(lambda: there.commands)
    names = {one["name"] for one in there.commands}
    assert {"status", "plan", "rules", "Ask Steward"} <= names
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
