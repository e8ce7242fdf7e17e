"""The program dies at each boundary of a turn on the page: nothing is lost or stands twice."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.browser import LINK, Browser, Sent, browser
from tests.e2e.dying_page_program import ANSWER, DEATH_FILE, ECHO
from tests.e2e.steward import Steward
from tests.e2e.test_page import WRITE, door
from tests.ports import free_port
from tests.standins.messages_api import Gate, calls, text, tool

pytestmark = pytest.mark.flows_own("the page is served beside any platform")


async def posted(page: Browser, form: Sent, **fields: Any) -> None:
    """Send a form; the line may break when the program dies over it."""
    with suppress(httpx.TransportError):
        files = fields.pop("files", None)
        answer = await page.post(form.action, {**form.fields, **fields}, files=files)
        assert answer.status_code == 303, answer.text


@pytest.mark.parametrize("boundary", ["unstored", "stored", "asked", "owed", "sent"])
async def test_words_are_answered_once_wherever_the_program_dies(
    steward: Steward, boundary: str
) -> None:
    fate, gate = await begun(steward), Gate()
    lost = [text("Lost").held(gate)] if boundary == "asked" else []
    steward.script(*lost, text(ANSWER))
    async with browser(await door(steward)) as page:
        await page.enter(LINK.findall(steward.output)[-1][1])
        home = await page.home()
        form = say_of(await page.forms(home))
        stream = await page.stream(home)
        async with page.listening(stream) as first:
            await first.until(lambda one: one.events)
            fate.write_text(boundary)
            await posted(page, form, text="A question")
            if boundary == "asked":
                await gate.arrived()
                await steward.kill()
            await steward.ended()
            await first.until(lambda one: one.ended)
        await steward.start()
        await door(steward)
        # The script sends it again under its name, as it does after a broken line.
        await posted(page, form, text="A question")
        async with page.listening(stream, first.last_id) as second:
            await second.hears(ANSWER)
        events = [one for one in (*first.events, *second.events) if one.name == "message"]
        # A mark says which version of each message was told, so none comes twice.
        assert len({one.id for one in events}) == len(events)
        told = Counter(words for _, words in await page.messages(home))
    assert len([words for words in told.elements() if "A question" in words]) == 1
    assert len([words for words in told.elements() if ANSWER in words]) == 1
    await steward.recorded()
    assert steward.records.stop_reasons == ["final_answer"]
    assert len(steward.model.requests) == 1 + len(lost)


@pytest.mark.parametrize("boundary", ["kept", "unstored", "stored"])
async def test_a_message_with_a_file_comes_once_wherever_the_program_dies(
    steward: Steward, boundary: str
) -> None:
    fate = await begun(steward)
    steward.script(text(ANSWER))
    notes = [("file", ("notes.txt", b"remember the milk", "text/plain"))]
    async with browser(await door(steward)) as page:
        await page.enter(LINK.findall(steward.output)[-1][1])
        home = await page.home()
        form = say_of(await page.forms(home))
        fate.write_text(boundary)
        await posted(page, form, text="What is in it?", files=notes)
        await steward.ended()
        await steward.start()
        await door(steward)
        await posted(page, form, text="What is in it?", files=notes)
        await page.sees(ANSWER, home)
        (said,) = (await page.page(home)).select("li.said")
        (link,) = said.select("a.file")
        assert (await page.get(str(link["href"]))).content == b"remember the milk"
    await steward.recorded()
    assert len([*(steward.home / "uploads").iterdir()]) == 1
    assert len([*(steward.workspace / "inbox").rglob("*.txt")]) == 1
    (asked,) = steward.model.requests
    assert str(asked.body).count("remember the milk") == 1
    assert steward.records.stop_reasons == ["final_answer"]


@pytest.mark.parametrize("boundary", ["stored", "echo owed", "echo sent", "asked"])
async def test_words_for_a_chat_of_the_phone_stand_there_once_wherever_the_program_dies(
    steward: Steward, boundary: str
) -> None:
    fate, gate, home = await begun(steward), Gate(), "/chat/telegram:42"
    lost = [text("Lost").held(gate)] if boundary == "asked" else []
    steward.say("/login")
    link = LINK.search((await steward.sees("Open this link in your browser")).text)
    assert link is not None
    await steward.recorded()
    async with browser(await door(steward)) as page:
        await page.enter(link[2])
        form = say_of(await page.forms(home))
        steward.script(*lost, text(ANSWER))
        fate.write_text(boundary)
        await posted(page, form, text="A question")
        if boundary == "asked":
            await gate.arrived()
            await steward.kill()
        await steward.ended()
        await steward.start()
        await door(steward)
        await posted(page, form, text="A question")
        await steward.sees(ANSWER)
        await page.sees(ANSWER, home)
        await steward.recorded()
        told = [words for _, words in await page.messages(home)]
    assert [len(steward.showing(words)) for words in (f"{ECHO}A question", ANSWER)] == [1, 1]
    assert [len([one for one in told if words in one]) for words in ("A question", ANSWER)] == [
        1,
        1,
    ]
    assert steward.records.stop_reasons == ["final_answer"]


@pytest.mark.parametrize("boundary", ["unstored", "stored", "begun", "done"])
async def test_a_press_counts_once_wherever_the_program_dies(
    steward: Steward, boundary: str
) -> None:
    fate = await begun(steward)
    steward.script(calls(tool(*WRITE)), text(ANSWER))
    async with browser(await door(steward)) as page:
        await page.enter(LINK.findall(steward.output)[-1][1])
        home = await page.home()
        await page.say("Write a file", home)
        await page.sees("Approve", home)
        await steward.recorded()
        approve = next(one for one in await page.forms(home) if "Approve" in one.label)
        fate.write_text(boundary)
        await posted(page, approve)
        await steward.ended()
        await steward.start()
        await door(steward)
        await posted(page, approve)
        await page.sees(ANSWER, home)
        await steward.recorded()
        said = [words for _, words in await page.messages(home)]
    assert len([words for words in said if ANSWER in words]) == 1
    # A call that was cut off is not made again: the model is told.
    (status,) = [status for _, status, _ in steward.records.results]
    assert (steward.workspace / "a.txt").exists() is (boundary != "begun")
    assert (status == "success") is (boundary in ("unstored", "stored")), status
    assert steward.records.stop_reasons == ["final_answer"]
    assert len(steward.model.requests) == 2


async def test_a_kill_in_the_middle_of_an_answer_is_told_in_the_chat_and_on_its_page(
    steward: Steward,
) -> None:
    gate, lost = Gate(), "Nothing was lost"
    await steward.start(STEWARD_WEB_PORT=free_port())
    async with browser(await door(steward)) as page:
        await page.enter(LINK.findall(steward.output)[-1][1])
        home = await page.home()
        steward.script(text("Half of it, and whole.").in_pieces(4).held(gate, after=4))
        async with page.listening(home) as heard:
            await page.say("A question", home)
            await heard.hears("Half of it", "draft")
            await steward.kill()
        gate.release()
        steward.script(text("The whole."), calls(tool(*WRITE)), text("Written."))
        await steward.start()
        await door(steward)
        assert lost in await page.sees("The whole.", home)
        await steward.recorded()
        told = await page.page(await why_of(page, home))
        rows = [row.get_text(" ", strip=True) for row in told.select(".fall tbody tr")]
        # The call began, no reply was kept, and it was made again.
        (at,) = [n for n, row in enumerate(rows) if "a call that was lost" in row]
        assert "≤" in rows[at]
        assert "The program started again" in rows[at + 1]
        assert "Model: the answer" in rows[at + 2]
        assert lost in told.get_text(" ")
        # While a card waits, the program may stop as often as it likes: nobody asks a model.
        await page.say("Write a file", home)
        await page.sees("Approve", home)
        await steward.recorded()
        await steward.kill()
        await steward.start()
        await door(steward)
        await page.press("Approve", home)
        assert lost not in await page.sees("Written.", home)
        assert lost not in (await page.page(await why_of(page, home))).get_text(" ")


async def why_of(page: Browser, home: str) -> str:
    """The address of the page about the newest answer."""
    return str((await page.page(home)).select("a.why")[-1]["href"])


async def begun(steward: Steward) -> Path:
    fate = steward.folder / "death"
    steward.module = "tests.e2e.dying_page_program"
    await steward.start(STEWARD_WEB_PORT=free_port(), **{DEATH_FILE: fate})
    return fate


def say_of(forms: Sequence[Sent]) -> Sent:
    return next(one for one in forms if one.action.endswith("/say") and "id" in one.fields)
