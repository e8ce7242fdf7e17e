"""What reaches the screen, whatever the way to it is like; and what comes from there."""

import pytest

from tests.adapters.media import files
from tests.e2e.steward import Steward, results_in
from tests.standins.messages_api import Gate, calls, text, thinking, tool
from tests.words import APPROVE

NAMES = ("chart", "ribbon")
WRITE = calls(tool("write_file", {"path": "a.txt", "content": "a"}))


async def test_a_file_is_delivered_as_a_document_with_its_caption(steward: Steward) -> None:
    (steward.workspace / "report.pdf").write_bytes(b"%PDF a report")
    asked = tool("send_file", {"path": "report.pdf", "caption": "The report"})
    steward.script(thinking("Send.") + calls(asked), text("There."))
    await steward.start()
    steward.say("Send me the report")
    await steward.sees("There.")
    sent = await steward.sees("The report")
    assert sent.file is not None
    assert (sent.file.name, sent.file.data) == ("report.pdf", b"%PDF a report")
    assert sent.id == steward.shown[0].id


@pytest.mark.telegrams_own("4,096 characters, and entities")
async def test_a_long_answer_comes_in_pieces_and_markdown_as_formatting(steward: Steward) -> None:
    paragraphs = [f"Paragraph {n}: " + "words " * 100 for n in range(15)]
    code = "```python\nprint('*not bold*')\n```"
    steward.script(text("\n\n".join(paragraphs)), text(f"**Bold**, [a](x) and\n\n{code}"))
    await steward.start()
    steward.say("Tell me much")
    await steward.sees("Paragraph 14")
    pieces = [message.text for message in steward.shown]
    assert len(pieces) == 3
    assert all(piece.startswith("Paragraph") for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join("".join(paragraphs).split())
    steward.say("And with formatting")
    told = await steward.sees("print('*not bold*')")
    assert told.text.startswith("Bold, a (x) and")
    assert {entity.type for entity in told.entities} == {"bold", "pre"}


async def test_answers_survive_a_bad_way(steward: Steward) -> None:
    ways = ("limited", "broken", "dropped", "lost")
    steward.script(*[text(f"**Answer** {n}.") for n in range(len(ways))])
    await steward.start()
    for n, how in enumerate(ways):
        steward.way.spoil_message(how)
        steward.say(f"Question {n}")
        await steward.sees(f"Answer {n}.")
    await steward.recorded()
    assert [len(steward.showing(f"Answer {n}.")) for n in range(len(ways))] == [1, 1, 1, 1]


@pytest.mark.telegrams_own("formatting that the server refuses")
async def test_an_answer_loses_at_most_its_formatting(steward: Steward) -> None:
    steward.foreseen = ["can't parse"]
    steward.script(text("**Answer**."))
    await steward.start()
    steward.telegram.fail_next("sendMessage", 400, "Bad Request: can't parse entities")
    steward.say("Hello")
    assert (await steward.sees("Answer.")).entities == ()


async def test_a_card_nobody_can_be_shown_blocks_its_call(steward: Steward) -> None:
    steward.script(thinking("Write.") + WRITE, thinking("Well.") + text("I could not ask."))
    await steward.start()
    steward.way.refuse_message()
    steward.say("Write a file")
    await steward.sees("I could not ask.")
    (result,) = results_in(steward.model.requests[1]).values()
    assert "could not be shown" in result
    assert list(steward.workspace.iterdir()) == []


async def test_someone_who_takes_no_messages_is_given_up_and_answered_when_back(
    steward: Steward,
) -> None:
    writing = Gate()
    steward.script(text("Lost.").held(writing), thinking("Back.") + text("Welcome back."))
    await steward.start()
    steward.say("Hello?")
    await writing.arrived()
    steward.way.close(steward.me)
    writing.release()
    await steward.eventually(
        lambda: steward.records.rows("SELECT 1 FROM outbox WHERE state='dead'")
    )
    steward.way.open(steward.me)
    steward.say("I am back")
    await steward.sees("Welcome back.")
    assert steward.showing("Lost.") == []


async def test_what_nobody_can_read_between_good_messages_harms_nobody(steward: Steward) -> None:
    hostile = "\ud800 \0 \u202e \x1b[31m " + "long " * 350
    steward.script(text("One."), text("Two."), text("Three."))
    await steward.start()
    steward.say("First")
    await steward.way.send_nonsense()
    await steward.sees("One.")
    steward.say(hostile)
    await steward.sees("Two.")
    steward.say("Last")
    await steward.sees("Three.")
    assert len(steward.model.requests) == 3


@pytest.mark.telegrams_own("polls of getUpdates")
async def test_polls_that_fail_are_made_again_and_no_update_is_lost(steward: Steward) -> None:
    steward.script(text("One."), text("Two."))
    steward.telegram.answer_raw_next("getUpdates", '{"ok": true, "result": [{"upd')
    steward.telegram.drop_answer_next("getUpdates")
    steward.say("First")
    steward.say("Second")
    await steward.start()
    await steward.sees("Two.")
    assert [message.text for message in steward.shown] == ["One.", "Two."]


async def test_a_message_delivered_twice_is_answered_once(steward: Steward) -> None:
    steward.script(WRITE, text("Written."))
    await steward.start()
    said = steward.say("Write a file")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Written.")
    await steward.way.bring_again(said)
    steward.say("/status")
    await steward.sees("Working on: nothing")
    assert len(steward.model.requests) == 2


@pytest.mark.telegrams_own("photos are another kind of file")
async def test_a_picture_is_shown_as_one_and_what_is_none_comes_as_a_file(steward: Steward) -> None:
    steward.foreseen = ["PHOTO_INVALID_DIMENSIONS"]
    shown, ribbon = files.picture(640, 480), files.picture(2100, 100)
    (steward.workspace / "chart.png").write_bytes(shown)
    (steward.workspace / "ribbon.png").write_bytes(ribbon)
    both = [tool("send_file", {"path": f"{name}.png", "caption": name}) for name in NAMES]
    steward.script(thinking("Send.") + calls(*both), text("There."))
    await steward.start()
    steward.say("Show me")
    await steward.sees("There.")
    sent = {message.text: message.file for message in steward.shown if message.file}
    assert {name: file.kind for name, file in sent.items()} == {
        "chart": "photo",
        "ribbon": "document",
    }
    assert [sent[name].data for name in NAMES] == [shown, ribbon]


async def test_a_long_answer_becomes_a_file_once_however_often_the_program_dies(
    steward: Steward,
) -> None:
    whole = "The short of it.\n\n" + "\n\n".join(f"Point {n}. " + "why " * 50 for n in range(70))
    whole = whole.strip()
    steward.script(text(whole))
    await steward.start()
    steward.say("/long file")
    await steward.sees("its beginning and a Markdown file")
    sending = steward.way.hold_document()
    steward.say("Tell me all")
    await sending.arrived()
    await steward.restart()
    sent = await steward.until(lambda: [message for message in steward.shown if message.file])
    await steward.recorded()
    opening, document = steward.shown[1:]
    assert opening.text.startswith("The short of it.\n\nPoint 0. why")
    assert opening.text.endswith(f"answer.md: {len(whole):,} characters.")
    assert [document] == sent
    assert document.file is not None
    assert (document.file.name, document.file.data) == ("answer.md", whole.encode())


async def test_links_show_a_preview_only_where_they_were_asked_to(steward: Steward) -> None:
    steward.script(*[text("See [this](https://example.com/a).")] * 2)
    await steward.start()
    steward.say("One")
    plain = await steward.sees("See this.")
    steward.say("/previews on")
    await steward.sees("From now on links show a preview.")
    steward.say("Two")
    shown = await steward.sees("See this.", times=2)
    assert (plain.preview, shown.preview) == (False, True)


@pytest.mark.telegrams_own("tables without rich messages")
async def test_a_wide_table_can_be_read_on_a_phone(steward: Steward) -> None:
    head = "| Tool | What it is good for |\n|---|---|\n"
    steward.script(
        text(f"{head}| grep | finding `a\\|b` in all the files there are |\n| sed | mending them |")
    )
    await steward.start()
    steward.say("Compare")
    shown = await steward.sees("Tool: grep")
    assert shown.text == (
        "Tool: grep\nWhat it is good for: finding a|b in all the files there are\n\n"
        "Tool: sed\nWhat it is good for: mending them"
    )
    assert {entity.type for entity in shown.entities} == {"bold", "code"}


async def test_a_menu_can_be_pressed_before_its_id_is_recorded(steward: Steward) -> None:
    await steward.start()
    sending = steward.way.hold_message(after_work=True)
    steward.say("/queue")
    await sending.arrived()
    menu = await steward.sees("You can change that")
    assert await steward.answered(steward.press(menu, "Join in")) == ""
    sending.release()
    changed = await steward.sees("From now on a message that comes while I am busy joins")
    assert (changed.id, changed.labels) == (menu.id, ["Wait", "✓ Join in", "Interrupt"])
    assert len(steward.shown) == 1
    # From then on its record serves as for any other menu.
    assert await steward.answered(steward.press(changed, "Interrupt")) == ""
    await steward.sees("From now on a message that comes while I am busy stops me")
    assert steward.shown[-1].id == menu.id
