"""A talk in a real terminal: what stands on the screen, and what the keys do."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.terminals import Terminal
from tests.standins.messages_api import Gate, MessagesApi, Reply, calls, text, tool
from tests.words import (
    DEMO_CLOCK,
    HOW_TO_TYPE,
    PRESS_AGAIN,
    READY,
    STAYS_OPEN,
    STOP_ALL_TOO,
    STOPPED,
    WORDS_COUNT,
)

SENTENCE = "Nothing is to be said here, and it is said at length."
LONG = f"""# A long answer

- a list with **bold** and `code`
- a [link](https://example.org/)

| tool | asks first |
|---|---|
| list_files | no |
| write_file | yes |

> A quote, for the sake of it.

{"".join(f"Paragraph {n}. {' '.join([SENTENCE] * 8)}{chr(10) * 2}" for n in range(12))}

That is all."""
WAITS_ITS_TURN = "am busy waits for its turn."
ASKING = "I will make three files and look around first."


def three_files() -> tuple[Reply, Reply]:
    writes = [tool("write_file", {"path": f"{n}.md", "content": f"# {n}\n"}) for n in "abc"]
    return text(ASKING) + calls(tool("list_files", {}), *writes), text("All three are there.")


@pytest.mark.parametrize("columns", [40, 100])
async def test_the_first_screen_says_who_i_am_and_what_to_try(
    opened: Callable[..., Terminal], tmp_path: Path, columns: int
) -> None:
    talk = opened(columns=columns)
    await talk.shows("Steward", "Folder", "Model the demo:", "Just write to me. For example:")
    await talk.shows("I ask before I change anything.", READY)
    assert "data/workspace" in "".join(line.strip() for line in talk.lines)
    await talk.until(lambda: ">" in talk.lines)


async def test_a_sentence_of_a_command_breaks_between_words(
    opened: Callable[..., Terminal],
) -> None:
    told = (
        "steward: Steward is not running, so there is no chat to show. Start it with `steward run`"
    )
    talk = opened("chat", "--with", "telegram", columns=40)
    await talk.shows(told)
    assert await talk.ended() == 2


@pytest.mark.parametrize("columns", [40, 60, 100])
async def test_words_are_never_broken_at_the_edge_nor_shown_twice(
    opened: Callable[..., Terminal], model: MessagesApi, access: dict[str, str], columns: int
) -> None:
    model.script.add(text(LONG).in_pieces(60, pause=0.01))
    talk = opened(columns=columns, **access)
    await talk.shows(READY)
    talk.say("say a lot")
    await talk.shows("• a list with bold and code", "• a link (https://example.org/)")
    await talk.shows("tool asks first", "write_file yes", "▌ A quote, for the sake of it.")
    await talk.shows_times(SENTENCE, 8 * 12)
    await talk.shows("That is all.")
    assert talk.text.count(SENTENCE) == 8 * 12
    assert talk.text.count("A long answer") == talk.text.count("That is all.") == 1


@pytest.mark.parametrize("columns", [40, 100])
async def test_each_card_of_a_round_is_decided_by_its_own_key(
    opened: Callable[..., Terminal],
    model: MessagesApi,
    access: dict[str, str],
    tmp_path: Path,
    columns: int,
) -> None:
    workspace = tmp_path / "data" / "workspace"
    model.script.add(*three_files())
    talk = opened(columns=columns, rows=60, **access)
    await talk.shows(READY)
    talk.say("make three files")
    await talk.shows("[y1] ✅ Approve", "[y2] ✅ Approve", "[y3] ✅ Approve")
    talk.say("y")
    await talk.shows("Which one: y1 Create a.md")
    talk.say("y1")
    await talk.shows("↳ ✅")
    talk.say("yes, go ahead!")
    await talk.shows(HOW_TO_TYPE)
    talk.say("a")
    await talk.shows("All three are there.")
    assert sorted(file.name for file in workspace.glob("*.md")) == ["a.md", "b.md", "c.md"]
    said = talk.text
    assert said.count(ASKING) == said.count("All three are there.") == 1
    assert said.count("or type “c2:” and a change") == 1
    assert [said.count(f"✓ {step}") for step in ("List the workspace",)] == [1]
    assert any(line.startswith("╭──") and len(line) <= columns for line in talk.lines)


async def test_a_change_that_cannot_be_made_is_told_though_it_needs_no_card(
    opened: Callable[..., Terminal], model: MessagesApi, access: dict[str, str]
) -> None:
    change = {"path": "nowhere.md", "old_text": "a", "new_text": "b"}
    model.script.add(calls(tool("edit_file", change)), text("There is no such file."))
    talk = opened(**access)
    await talk.shows(READY)
    talk.say("change it")
    await talk.shows("✗ Edit nowhere.md", "There is no such file.")
    assert talk.text.index("✗ Edit") < talk.text.index("There is no such")


async def test_words_beside_a_card_are_a_message_and_only_with_its_number_a_change(
    opened: Callable[..., Terminal], model: MessagesApi, access: dict[str, str], tmp_path: Path
) -> None:
    write = calls(tool("write_file", {"path": "a.md", "content": "# A\n"}))
    model.script.add(write, text("It is sunny."), text("Then I leave it."))
    talk = opened(**access)
    await talk.shows(READY)
    talk.say("make a file")
    await talk.shows("[y] ✅ Approve", WORDS_COUNT)
    talk.say("👍")
    await talk.shows("Its keys: y Approve", HOW_TO_TYPE)
    talk.say("and the weather")
    await talk.shows("It is sunny.")
    talk.say("c: call it b.md")
    await talk.shows("Not run · Create a.md", "call it b.md", "Then I leave it.")
    assert "call it b.md" in str((await model.received(3)).body["messages"][-1])
    model.script.add(write, text("Not at all, then."))
    talk.say("make it after all")
    await talk.shows_times(WORDS_COUNT, 2)
    talk.say("no, thanks")
    await talk.shows("Not at all, then.")
    assert not (tmp_path / "data" / "workspace" / "a.md").exists()


async def test_a_fresh_start_with_an_open_card_says_what_became_of_it(
    opened: Callable[..., Terminal],
) -> None:
    talk = opened()
    await talk.shows(READY)
    talk.say("write a note")
    await talk.shows("[y] ✅ Approve")
    talk.say("/new")
    await talk.shows("A fresh start.", "⏹ Stopped")
    talk.say("what time is it")
    await talk.shows(DEMO_CLOCK)
    assert "as you asked" not in talk.text
    talk.say("/usage")
    await talk.shows("demo (costs nothing)")
    talk.say("/start")
    await talk.shows("Hello.")
    assert "Hello, " not in talk.text


async def test_an_open_card_outlives_the_talk(opened: Callable[..., Terminal]) -> None:
    talk = opened()
    await talk.shows(READY)
    talk.say("write a note")
    await talk.shows("[y] ✅ Approve")
    talk.type("\x03")
    await talk.shows(PRESS_AGAIN)
    talk.type("\x03")
    await talk.shows(STAYS_OPEN)
    assert await talk.ended() == 0
    talk = opened()
    await talk.shows(READY, "[y] ✅ Approve")
    talk.say("y")
    await talk.shows("demo-note.txt")


async def test_ctrl_c_stops_a_turn_and_leaves_only_when_pressed_twice(
    opened: Callable[..., Terminal], model: MessagesApi, access: dict[str, str]
) -> None:
    gate = Gate()
    model.script.add(text("Hello there").held(gate))
    talk = opened(**access)
    await talk.shows(READY)
    talk.say("hello")
    await gate.arrived()
    await talk.shows("… (Ctrl-C stops)")
    talk.type("\x03")
    await talk.shows(STOPPED)
    await gate.abandoned()
    talk.type("\x15\r\x03")  # a line in between, so that this one is a first again
    await talk.shows_times(PRESS_AGAIN, 2)
    talk.type("\x03")
    assert await talk.ended() == 0


async def test_several_lines_and_pasted_text_are_one_message(
    opened: Callable[..., Terminal], model: MessagesApi, access: dict[str, str]
) -> None:
    model.script.add(text("Seen."), text("Seen, too."))
    talk = opened(**access)
    await talk.shows(READY)
    # Without the prompt the terminal itself ends a line at each return.
    await talk.quiet()
    talk.say("one\x1b\rtwo")
    request = await model.received(1)
    assert "one\ntwo" in str(request.body["messages"][-1]["content"][0]["text"])
    await talk.shows("Seen.")
    talk.say("\x1b[200~three\r\nfour\r\n\x1b[201~")
    request = await model.received(2)
    assert "three\nfour" in str(request.body["messages"][-1]["content"][0]["text"])
    await talk.shows("Seen, too.")


async def test_a_smaller_window_wraps_what_comes_next(opened: Callable[..., Terminal]) -> None:
    talk = opened(columns=100)
    await talk.shows(READY)
    talk.resize(44, 30)
    talk.say("/queue")
    await talk.shows(WAITS_ITS_TURN)
    talk.say("/queue")
    await talk.shows_times(WAITS_ITS_TURN, 2)
    assert all(len(line) <= 44 for line in talk.lines)


async def test_tab_completes_a_command(opened: Callable[..., Terminal]) -> None:
    talk = opened(columns=60)
    await talk.shows(READY)
    talk.type("/st\t")
    await talk.shows(STOP_ALL_TOO)
    talk.type("\x15/que\t")
    await talk.shows("> /queue")
    talk.say("")
    await talk.shows(WAITS_ITS_TURN)


@pytest.mark.parametrize(
    ("environ", "colours", "escapes"),
    [({}, True, True), ({"NO_COLOR": "1"}, False, True), ({"TERM": "dumb"}, False, False)],
    ids=["colours", "NO_COLOR", "dumb"],
)
async def test_colours_are_for_those_who_want_them(
    opened: Callable[..., Terminal], environ: dict[str, str], colours: bool, escapes: bool
) -> None:
    talk = opened(**environ)
    await talk.shows(READY)
    talk.say("write a note")
    await talk.shows("[y] ✅ Approve")
    talk.say("n")
    await talk.shows("↳ ❌ Denied · Create demo-note.txt")
    coloured = re.search(r"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|9[0-7])(?:;[0-9]*)*m", talk.raw)
    assert (coloured is not None) is colours
    assert ("\x1b" in talk.raw) is escapes


async def test_a_second_talk_in_the_same_folder_is_a_conversation_of_its_own(
    opened: Callable[..., Terminal],
) -> None:
    talk = opened()
    await talk.shows(READY)
    second = opened()
    await second.shows(READY, "so this one has its own conversation: local-2.")
    second.say("/help")
    await second.shows("/stop")
    assert "/stop" not in talk.text
    talk.type("\x04")
    assert await talk.ended() == 0
    await second.shows("Steward has ended. Waiting up to 20 seconds for its next start.")


@pytest.mark.starts_anew
async def test_a_terminal_that_closes_ends_the_talk_as_it_was_asked_to(
    opened: Callable[..., Terminal],
) -> None:
    talk = opened()
    await talk.shows(READY)
    assert await talk.hung_up() == 0


async def test_no_card_brings_control_characters_of_its_own(
    opened: Callable[..., Terminal], model: MessagesApi, access: dict[str, str]
) -> None:
    evil = "evil\x1b]0;title\x07\r\x1b[2Jover\u202ewrite\n"
    model.script.add(
        calls(tool("write_file", {"path": "x\u202ey.md", "content": evil})), text("No.")
    )
    talk = opened(**access)
    await talk.shows(READY)
    talk.say("do it")
    await talk.shows(r"x\u202ey.md", r"evil\x1b]0;title\x07", "[y] ✅ Approve")
    assert "\x1b[2J" not in talk.raw
    assert "\x1b]0;" not in talk.raw
    assert "\u202e" not in talk.raw
    talk.say("n")
    await talk.shows("No.")


async def test_the_terminal_offers_only_what_works_in_it(opened: Callable[..., Terminal]) -> None:
    talk = opened()
    await talk.shows(READY)
    talk.say("/help all")
    await talk.shows("People, for owners", "/revoke <person>")
    talk.say("/start")
    await talk.shows("Three things to try:", "/help shows what else I understand.")
    for word in ("/voice", "/previews", "/long", "/activation", "/context", "photo"):
        assert word not in talk.text
    talk.say("/allow")
    await talk.shows("Write the platform and their number, as in /allow telegram:42")
    talk.say("/rights")
    await talk.shows("as in /rights telegram:42 commands off")
    talk.type("/activ\t")
    talk.type("\x7f" * 9)
    talk.type("/exp\t")
    talk.say("")
    await talk.shows("/export")
    assert "/activation" not in talk.text


async def test_the_terminal_says_that_it_has_no_voice(opened: Callable[..., Terminal]) -> None:
    speaks = {
        "STEWARD_SPEAK_URL": "http://127.0.0.1:9/v1",
        "STEWARD_HEAR_URL": "http://127.0.0.1:9",
    }
    talk = opened(**speaks)
    await talk.shows(READY)
    talk.say("/voice on")
    await talk.shows("/voice changes nothing in a terminal.")
    talk.say("/status")
    await talk.shows("Messages while I am busy")
    assert "Answers to voice messages" not in talk.text


async def test_what_is_typed_before_the_prompt_stands_there_is_shown_once(
    opened: Callable[..., Terminal], model: MessagesApi, access: dict[str, str]
) -> None:
    model.script.add(text("Good morning."))
    talk = opened(**access)
    await talk.until(lambda: not talk.echoes, "a silent terminal")
    talk.say("hello there")
    await talk.shows(READY, "Good morning.")
    assert talk.text.count("hello there") == 1
    talk.say("/quit")
    await talk.until(lambda: talk.echoes, "the terminal as it was before")
    assert await talk.ended() == 0
