"""Files that people sent are deleted when they are old, and never while something is open."""

from dataclasses import replace
from datetime import timedelta

from bot.domain.talk.message import Attachment, InboundMessage, Quote
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import ANN, HOME, Stage, stage
from tests.scenarios.tools import writing

TABLE = Attachment("document", "table.csv", 9, "T")
DAY, HOUR = 86_400.0, 3_600.0


async def send(scene: Stage, turns: int) -> None:
    scene.files.stored["T"] = b"a;b"
    await scene.say("Read", attachments=[TABLE])
    await scene.settled(turns)


async def test_an_old_file_is_deleted_and_its_row_remembers_its_content() -> None:
    async with stage(says("Read.")) as scene:
        await send(scene, 1)
        scene.clock.set_wall(29 * DAY)
        await scene.clock.advance(HOUR)
        assert len(scene.inbox_folder.files) == 1
        scene.clock.set_wall(2 * DAY)
        await scene.clock.advance(HOUR)
        await scene.until(lambda: not scene.inbox_folder.files)
        await scene.until(lambda: all(file.swept for file in scene.store.rows.received.values()))
        assert len(scene.store.rows.received) == 1


async def test_a_file_stays_while_a_turn_waits_for_a_person() -> None:
    wants = calls(call("w", "write", {"what": "x"}))
    async with stage(wants, says("Done."), tools=[writing()]) as scene:
        scene.files.stored["T"] = b"a;b"
        await scene.say("Read and write", attachments=[TABLE])
        await scene.parked()
        rows = scene.store.rows.received
        (row,) = rows.values()
        rows[row.id] = replace(row, kept_at=row.kept_at - timedelta(days=40))
        await scene.clock.advance(HOUR)
        assert len(scene.inbox_folder.files) == 1
        await scene.press("Approve")
        await scene.settled()
        await scene.clock.advance(HOUR)
        await scene.until(lambda: not scene.inbox_folder.files)


async def test_a_file_that_is_quoted_is_as_new() -> None:
    async with stage(says("Read."), says("Read again.")) as scene:
        await send(scene, 1)
        first = next(iter(scene.store.rows.received.values()))
        scene.clock.set_wall(DAY)
        quote = Quote("", "Ann", own=True, message_id="m1", attachments=(TABLE,))
        message = InboundMessage(HOME, ANN, "m8", "Again", scene.clock.now(), quote=quote)
        await scene.application.parts.intake.accept("fake", (scene.channel.update(message),))
        await scene.settled(2)
        (again,) = scene.store.rows.received.values()
        assert again.kept_at > first.kept_at
