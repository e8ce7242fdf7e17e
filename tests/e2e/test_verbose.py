"""Tool calls shown with input and output: on both platforms, in groups, and over deaths."""

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.launching import Command
from tests.e2e.on_discord import OnDiscord, on_discord
from tests.e2e.steward import KEY, Steward
from tests.e2e.terminals import Terminal
from tests.standins.messages_api import Gate, MessagesApi, calls, text, tool
from tests.standins.serving import serving
from tests.words import READY

ON = "Each tool call is shown here with its input and output"
NOTE = "First line.\n@everyone **bold** https://evil.example\n"
READ = calls(tool("read_file", {"path": "note.txt"}))


def told(steward: Steward, message: Any) -> str:
    """Returns all that a message about calls shows, its file on Discord included."""
    file = message.file
    return message.text + (file.data.decode() if file is not None else "")


def about_calls(steward: Steward) -> list[Any]:
    return [one for one in steward.shown if one.text.startswith(("✓ ", "✗ ", "⏭ "))]


@pytest.mark.shared
async def test_calls_are_shown_above_their_answer_until_it_is_switched_off(
    steward: Steward,
) -> None:
    (steward.workspace / "note.txt").write_text(NOTE)
    again = calls(tool("read_file", {"path": "nowhere.txt"}))
    steward.script(READ, again, text("Two reads."), READ, text("Once more."))
    await steward.start()
    steward.say("/verbose on")
    await steward.sees(ON)
    steward.say("Read the note")
    answer = await steward.sees("Two reads.")
    # The second call is an edit, which waits behind everything that is owed.
    await steward.sees("✗ Read nowhere.txt")
    (shown,) = about_calls(steward)
    assert shown.id < answer.id
    assert "✓ Read note.txt" in shown.text
    assert "✗ Read nowhere.txt" in shown.text
    whole = told(steward, shown)
    assert "First line." in whole
    assert "@everyone **bold** https://evil.example" in whole
    assert KEY not in whole
    steward.say("/verbose off")
    await steward.sees("Tool calls are not shown here")
    steward.say("Read it again")
    await steward.sees("Once more.")
    assert len(about_calls(steward)) == 1
    steward.say("/verbose last")
    await steward.sees("These are the newest tool calls: 1 call.")
    file = await steward.until(
        lambda: next((one.file for one in steward.shown if _is_whole(one)), None)
    )
    assert b"    First line." in file.data


def _is_whole(message: Any) -> bool:
    return message.file is not None and message.file.data.startswith(b"1. ")


async def test_a_death_between_a_call_and_its_message_shows_it_once(steward: Steward) -> None:
    (steward.workspace / "note.txt").write_text(NOTE)
    held = Gate()
    steward.script(READ, text("Read.").held(held))
    await steward.start()
    steward.say("/verbose on")
    await steward.sees(ON)
    steward.say("Read the note")
    await steward.until(lambda: about_calls(steward))
    await steward.recorded()
    await steward.kill()
    steward.script(text("Read after all."))
    held.release()
    await steward.start()
    await steward.sees("Read after all.")
    assert len(about_calls(steward)) == 1


async def test_the_keys_of_the_program_are_not_shown(steward: Steward) -> None:
    (steward.workspace / "keys.txt").write_text(f"the key is {KEY} and no other\n")
    steward.script(calls(tool("read_file", {"path": "keys.txt"})), text("Read."))
    # The model reads what it asked for, so the log has it: the message to people is masked.
    steward.secrets.remove(KEY)
    await steward.start()
    steward.say("/verbose on")
    await steward.sees(ON)
    steward.say("Read the keys")
    await steward.sees("Read.")
    (shown,) = about_calls(steward)
    assert "the key is [secret] and no other" in told(steward, shown)


@pytest.mark.telegrams_own("rich messages")
async def test_on_a_server_with_rich_messages_each_call_opens_on_a_tap(steward: Steward) -> None:
    steward.telegram.rich = True
    (steward.workspace / "note.txt").write_text(NOTE)
    steward.script(READ, READ, text("Read."))
    await steward.start()
    steward.say("/verbose on")
    await steward.sees(ON)
    steward.say("Read the note")
    await steward.sees("Read.")
    (shown,) = about_calls(steward)
    assert shown.rich is not None
    assert shown.rich.kinds.count("details") == 2
    assert shown.rich.kinds.count("pre") == 4


@pytest.mark.telegrams_own("quotes that open")
async def test_without_rich_messages_they_are_quotes_that_open_and_make_no_sound(
    steward: Steward,
) -> None:
    (steward.workspace / "note.txt").write_text(NOTE)
    steward.script(READ, text("Read."))
    await steward.start()
    steward.say("/verbose on")
    await steward.sees(ON)
    steward.say("Read the note")
    await steward.sees("Read.")
    (shown,) = about_calls(steward)
    assert {entity.type for entity in shown.entities} == {"expandable_blockquote", "code"}
    sent = [c for c in steward.telegram.calls_of("sendMessage") if "✓ Read" in str(c)]
    assert all("disable_notification" in str(c) for c in sent)


@pytest.fixture
async def discord(steward: Steward) -> AsyncIterator[OnDiscord]:
    async with on_discord(steward) as found:
        found.foreseen += ["Missing Permissions"]
        yield found


@pytest.mark.discords_own("servers and their channels")
async def test_on_a_server_of_discord_managers_switch_it_and_files_may_be_forbidden(
    discord: OnDiscord,
) -> None:
    bob = discord.discord.person(77, "Bob")
    guild = discord.discord.guild("Home", discord.ann, bob)
    place, bot = guild.channels[0], discord.discord.bot.id
    steward = discord.steward
    steward.script(calls(tool("list_files", {})), text("Listed."))
    await discord.start(STEWARD_ALLOWED="discord:77")

    async def shown(words: str) -> Any:
        return await discord.until(
            lambda: next((m for m in discord.discord.screen(place) if words in m.text), None)
        )

    discord.discord.say(bob, f"<@{bot}> /verbose on", at=place)
    await shown("Nothing was changed.")
    guild.managers.append(bob)
    discord.discord.say(bob, f"<@{bot}> /verbose on", at=place)
    await shown("Everybody in this group sees them")
    place.denied.add("attach")
    discord.say(f"<@{bot}> list", at=place)
    await shown("Listed.")
    line = await shown("List the workspace")
    assert line.text.startswith("-# ✓")
    assert line.attachments == []


@pytest.fixture
async def model() -> MessagesApi:
    return MessagesApi(api_key=KEY)


@pytest.fixture
async def access(model: MessagesApi) -> AsyncIterator[dict[str, str]]:
    """The settings that lead to the model."""
    async with serving(model.app) as url:
        yield {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}


async def test_in_the_terminal_no_call_runs_on_beside_a_card(
    tmp_path: Path, model: MessagesApi, access: dict[str, str], command: Command
) -> None:
    write = tool("write_file", {"path": "a.md", "content": "a"})
    model.script.add(text("I list them first.") + calls(tool("list_files"), write))
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY)
        talk.say("/verbose on")
        await talk.shows("Each tool call is shown here")
        talk.say("write it")
        await talk.shows("✓ List", "[y] ✅ Approve")
        await talk.until(lambda: "⏳" not in talk.text, "no line of a tool that has ended")
        talk.say("/quit")
        assert await talk.ended() == 0
        # The block says again neither the line of its call nor the words above it.
        assert talk.text.count("I list them first.") == talk.text.count("✓ List") == 1


async def test_in_the_terminal_a_call_is_a_dim_block_that_is_cut_after_some_lines(
    tmp_path: Path, model: MessagesApi, access: dict[str, str], command: Command
) -> None:
    folder = tmp_path / "data" / "workspace"
    folder.mkdir(parents=True)
    (folder / "note.txt").write_text("".join(f"line {n}\n" for n in range(60)))
    read = calls(tool("read_file", {"path": "note.txt"}))
    again = calls(tool("read_file", {"path": "nowhere.txt"}))
    model.script.add(text("I look.") + read, text("And there.") + again, text("It is long."))
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY)
        talk.say("/verbose on")
        await talk.shows("Each tool call is shown here")
        talk.say("read it")
        await talk.shows("It is long.")
        await talk.shows("more lines: /verbose last")
        told = ("I look.", "✓ Read note.txt", "And there.", "✗ Read nowhere.txt", "It is long.")
        places = [talk.text.index(one) for one in told]
        assert places == sorted(places)
        # A block of a call says again neither its line nor the words above it.
        assert [talk.text.count(one) for one in told] == [1] * len(told)
        talk.say("/verbose last")
        await talk.shows("line 59")
        talk.say("/quit")
        assert await talk.ended() == 0
