"""The tools of the chat: sending, conversations, the time."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.tools.sending import SendFile, clear_spool
from bot.domain.talk.errors import InvalidArguments, ToolFailure
from bot.domain.talk.message import Markdown, Outbound, OutboundKind
from bot.domain.tools.tool import AskPerson
from bot.ports.tool import Place
from tests.adapters.tools.conftest import Run


def text_of(path: str) -> str:
    return Path(path).read_text()


async def test_the_time_is_told_in_the_zone_of_the_chat_or_the_one_asked_for(run: Run) -> None:
    assert (await run("current_time")).text == (
        "Monday, 2026-11-02 13:00:00 +0100 (Europe/Berlin) · UTC 12:00:00"
    )
    assert "21:00:00 +0900" in (await run("current_time", timezone="Asia/Tokyo")).text


@pytest.mark.parametrize(
    ("zone", "hint"),
    [("Berlin", "Europe/Berlin"), ("europe/berlin ", "Europe/Berlin"), ("new york", "New_York"),
     ("../../etc/passwd", ""), ("America", ""), ("x" * 5_000, ""), ("Nowhere\n", "")],
)  # fmt: skip
async def test_an_unknown_zone_is_refused_with_the_nearest(run: Run, zone: str, hint: str) -> None:
    with pytest.raises(ToolFailure, match="there is no time zone") as raised:
        await run("current_time", timezone=zone)
    assert hint in str(raised.value)
    assert len(str(raised.value)) < 300


async def test_a_file_is_sent_as_it_was_at_the_call(run: Run, workspace: Path) -> None:
    (workspace / "report.md").write_text("then")
    output = await run("send_file", path="report.md", caption="Here")
    (workspace / "report.md").write_text("later")
    (outbound,) = output.sends
    (file,) = outbound.files
    assert (outbound.kind, file.name, file.caption) == (OutboundKind.NOTICE, "report.md", "Here")
    assert text_of(file.path) == "then"
    assert not file.path.startswith(str(workspace))


async def test_the_same_call_again_uses_the_same_copy(run: Run, workspace: Path) -> None:
    (workspace / "a").write_text("x")
    first, second = [await run("send_file", path="a") for _ in range(2)]
    assert first.sends == second.sends


async def test_what_cannot_be_sent_is_refused(place: Place, tmp_path: Path, run: Run) -> None:
    (place.workspace / "large").write_text("x" * 100)
    (place.workspace / "empty").write_text("")
    with pytest.raises(ToolFailure, match="at most 99 B can be sent"):
        await SendFile(tmp_path / "spool", 99).run({"path": "large"}, place, None)
    with pytest.raises(ToolFailure, match="empty"):
        await run("send_file", path="empty")
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolFailure, match="cannot be kept for sending"):
        await SendFile(tmp_path / "file").run({"path": "large"}, place, None)


async def test_a_message_is_sent_and_a_question_ends_the_turn(run: Run) -> None:
    output = await run("send_message", message="**half** done")
    news = Outbound(OutboundKind.NOTICE, (Markdown("**half** done"),), silent=True)
    assert output.sends == (news,)
    assert output.after is None
    question = await run("send_message", message="Which one?", is_question=True)
    assert (question.sends, question.after) == ((), AskPerson("Which one?"))
    with pytest.raises(ToolFailure, match="blank"):
        await run("send_message", message=" \n ")


async def test_choices_of_a_question_are_short_few_and_different(run: Run) -> None:
    asked = {"message": "Which one?", "is_question": True}
    put = await run("send_message", choices=["Tea", " Coffee\nwith milk "], **asked)
    assert put.after == AskPerson("Which one?", ("Tea", "Coffee with milk"))
    for choices in ([], ["x"] * 7, ["x" * 41], [" "], [3], "Tea"):
        with pytest.raises(InvalidArguments):
            await run("send_message", choices=choices, **asked)
    with pytest.raises(ToolFailure, match="the same"):
        await run("send_message", choices=["Tea", "Tea "], **asked)
    with pytest.raises(ToolFailure, match="is_question"):
        await run("send_message", message="News", choices=["Tea"])


def test_old_copies_of_every_kind_are_cleared_and_newer_ones_stay(tmp_path: Path) -> None:
    month = 30 * 86_400
    for name in ("content", "content-1", "steward-export-2026-10-01.zip", "chart.png", "voice.ogg"):
        for age, folder in ((month + 60, f"old-{name}"), (month - 60, f"new-{name}")):
            file = tmp_path / folder / name
            file.parent.mkdir()
            file.write_text("x")
            os.utime(file, (time.time() - age, time.time() - age))
            os.utime(file.parent, (time.time() - age, time.time() - age))
    # An export that begins just now has a folder, and no file yet.
    (tmp_path / "new-export").mkdir()
    owed = tmp_path / "old-content" / "content"
    clear_spool(tmp_path, datetime.now(UTC) - timedelta(days=30), {str(owed)})
    assert owed.is_file()
    left = [folder for folder in tmp_path.iterdir() if folder != owed.parent]
    assert len(left) == 6
    assert all(folder.name.startswith("new-") for folder in left)
