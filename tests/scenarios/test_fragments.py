"""Messages in pieces: one turn each, whatever comes between, late, or dies in the middle."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.domain.change import InboundState
from bot.domain.talk.limits import BundleBounds
from bot.domain.talk.message import Attachment, Cut, InboundMessage, Quote, RawUpdate, Sign
from bot.domain.talk.person import Role, Sender
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import AskerBody, ImagePart
from tests.fakes.model import Gate, Step, call, calls, says
from tests.scenarios.stage import ANN, BOB, HOME, Stage, stage
from tests.scenarios.test_attachments import HeldReader
from tests.scenarios.tools import tool
from tests.words import CAME_LATE, FORWARDED, NOTHING_TO_STOP, TWO_A_MINUTE

BOUNDS = BundleBounds()
PICTURE = ImagePart("image/png", "iVBORw0=")
DROPPED = InboundState.DROPPED


async def paced(them: "Sending") -> None:
    """Lets Bob write two messages a minute."""
    await them.send(them.update("/rights 2 pace 2/min"))
    await them.scene.shows("pace 2/min")


class Sending:
    """Messages as a platform numbers them, handed in by the test."""

    def __init__(self, scene: Stage) -> None:
        self.scene = scene
        self._number = 0

    def update(
        self, text: str = "", sender: Sender = ANN, *, number: int | None = None, **fields: Any
    ) -> RawUpdate:
        if number is None:
            self._number = number = self._number + 1
        now = self.scene.clock.now()
        message = InboundMessage(HOME, sender, str(number), text, now, number=number, **fields)
        return self.scene.channel.update(message)

    async def send(self, *updates: RawUpdate) -> None:
        """Stores these at once, and lets them find their places."""
        await self.scene.application.parts.intake.accept("fake", updates)
        await self.scene.routed()

    def photo(self, text: str = "", *, album: str = "7", **fields: Any) -> RawUpdate:
        handle = f"P{fields.get('number', self._number + 1)}"
        self.scene.files.stored[handle] = b"jpeg"
        photo = Attachment("photo", f"{handle}.jpg", 9, handle)
        return self.update(text, album=album, attachments=(photo,), **fields)

    @property
    def asked(self) -> list[AskerBody]:
        return [body for body in self.scene.bodies if isinstance(body, AskerBody)]

    async def rested(self) -> None:
        """Waits until somebody waits for more, and then lets that time pass."""
        clock = self.scene.clock
        await self.scene.until(lambda: clock.sleepers > 1)
        await clock.advance(BOUNDS.seconds)


@asynccontextmanager
async def sending(*script: Step, **how: Any) -> AsyncGenerator[Sending]:
    people = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
    async with stage(*script, people=people, **how) as scene:
        scene.reader.readings[b"jpeg"] = PICTURE
        yield Sending(scene)


async def test_a_long_text_in_three_pieces_is_one_message() -> None:
    async with sending(says("Long.")) as them:
        await them.send(them.update("x" * 10, cut=Cut.SHARP), them.update("y" * 10, cut=Cut.SHARP))
        await them.send(them.update("z"))
        await them.scene.settled()
        (asked,) = them.asked
        assert asked.text == "x" * 10 + "y" * 10 + "z"
        assert len(them.scene.turns) == 1


async def test_an_ordinary_message_waits_for_nothing() -> None:
    async with sending(says("Hello.")) as them:
        await them.send(them.update("Hi"))
        await them.scene.settled()
        assert BOUNDS.seconds not in them.scene.clock.slept


async def test_a_long_text_without_a_sequel_is_answered_after_the_wait() -> None:
    async with sending(says("Long.")) as them:
        await them.send(them.update("x" * 10, cut=Cut.LIKELY))
        await them.rested()
        await them.scene.settled()
        assert [asked.text for asked in them.asked] == ["x" * 10]


async def test_each_piece_is_waited_for_after_the_one_before() -> None:
    async with sending(says("Seen.")) as them:
        await them.send(them.photo())
        await them.scene.until(lambda: them.scene.clock.sleepers > 1)
        await them.scene.clock.advance(1.0)
        await them.send(them.photo())
        await them.scene.clock.advance(1.0)
        assert not them.scene.turns
        await them.scene.clock.advance(0.5)
        await them.scene.settled()
        assert len(them.asked[0].images) == 2


async def test_an_album_is_one_message_with_its_pictures_in_order() -> None:
    async with sending(says("Four.")) as them:
        numbers = (3, 1, 4, 2)
        parts = [them.photo("Compare" if n == 1 else "", number=n) for n in numbers]
        await them.send(*parts)
        await them.rested()
        await them.scene.settled()
        (asked,) = them.asked
        assert asked.text.startswith("Compare\n\n[a photo, “P1.jpg”, came along; it is kept as")
        assert [w for w in asked.text.split() if w.startswith("“P")] == [
            f"“P{n}.jpg”," for n in (1, 2, 3, 4)
        ]
        assert asked.images == (PICTURE,) * 4
        assert asked.message_id == "1"
        assert asked.untrusted == "a picture"


async def test_forwards_join_the_comment_that_was_asked_already() -> None:
    gate = Gate()
    async with sending(gate, says("They want money.")) as them:
        await them.send(them.update("What do they want?"))
        await gate.reached()
        await them.send(
            them.update("Pay me", forwarded_from="Eve"), them.update("Now", forwarded_from="Eve")
        )
        await them.rested()
        await them.scene.settled()
        comment, forwards = them.asked
        assert comment.text == "What do they want?"
        assert comment.untrusted is None
        assert forwards.text.endswith(
            '<quoted_data from="a forward from Eve">\nPay me\n</quoted_data>\n\n'
            '<quoted_data from="a forward from Eve">\nNow\n</quoted_data>'
        )
        assert forwards.untrusted == "a forward from Eve"
        assert len(them.scene.turns) == 1
        assert len(them.scene.model.requests) == 2
        assert Sign.QUEUED not in [sign for _, sign, _ in them.scene.channel.signs]


async def test_a_burst_of_one_update_batch_is_one_turn_with_its_comment() -> None:
    async with sending(says("Money.")) as them:
        await them.send(
            them.update("What do they want?"),
            *(them.update(f"no. {n}", forwarded_from="Eve") for n in range(5)),
        )
        await them.rested()
        await them.scene.settled()
        assert len(them.scene.turns) == 1
        told = "\n".join(asked.text for asked in them.asked)
        assert told.startswith("What do they want?")
        assert told.index("no. 0") < told.index("no. 4")


async def test_a_comment_behind_its_forwards_ends_the_wait() -> None:
    async with sending(says("Money.")) as them:
        await them.send(them.update("Pay me", forwarded_from="Eve"), them.update("Is this true?"))
        await them.scene.settled()
        (asked,) = them.asked
        assert asked.text == FORWARDED
        assert asked.untrusted == "a forward from Eve"


async def test_messages_of_others_and_commands_between_pieces_keep_their_own_way() -> None:
    async with sending(says("Ann's."), says("Bob's.")) as them:
        await them.send(
            them.update("x" * 10, cut=Cut.SHARP),
            them.update("And me?", BOB),
            them.update("/queue"),
            them.update("y"),
        )
        await them.scene.settled(2)
        assert [(a.speaker, a.text) for a in them.asked] == [
            ("Ann", "x" * 10 + "y"),
            ("Bob", "And me?"),
        ]
        assert any("/queue interrupt" in text for text in them.scene.texts)


async def test_a_piece_that_begins_with_a_slash_is_no_command() -> None:
    async with sending(says("A path.")) as them:
        await them.send(them.update("x" * 10, cut=Cut.SHARP), them.update("/usr/bin is full"))
        await them.scene.settled()
        assert them.asked[0].text == "x" * 10 + "/usr/bin is full"


async def test_an_edit_of_a_piece_while_it_is_waited_for_changes_that_piece() -> None:
    async with sending(says("Seen.")) as them:
        await them.send(them.photo("old", number=1), them.photo(number=2))
        await them.scene.until(lambda: them.scene.clock.sleepers > 1)
        await them.send(them.photo("new", number=1, edited=True))
        await them.rested()
        await them.scene.settled()
        (asked,) = them.asked
        assert asked.text.startswith("new\n\n[a photo, “P1.jpg”")
        assert len(asked.images) == 2


@pytest.mark.parametrize("sent", [1, 2, 3, 4])
async def test_a_death_while_pieces_are_waited_for_changes_nothing(sent: int) -> None:
    async with sending(says("Four.")) as them:
        parts = [them.photo("Compare" if n == 1 else "", number=n) for n in (1, 2, 3, 4)]
        await them.send(*parts[:sent])
        await them.scene.until(lambda: them.scene.clock.sleepers > 1)
        await them.scene.crash()
        await them.send(*parts[sent:])
        await them.rested()
        await them.scene.settled()
        (asked,) = them.asked
        assert len(asked.images) == 4
        rows = them.scene.store.rows.inbox.values()
        assert [row.state for row in rows] == [InboundState.TAKEN] * 4


async def test_a_death_before_the_answer_still_lets_forwards_join_their_comment() -> None:
    lost = Gate()
    async with sending(lost, says("Money.")) as them:
        await them.send(them.update("What do they want?"))
        await lost.reached()
        held = them.scene.model
        await them.scene.application.parts.intake.accept(
            "fake", (them.update("Pay me", forwarded_from="Eve"),)
        )
        await them.scene.crash()
        await them.rested()
        await them.scene.settled()
        assert len(them.asked) == 2
        assert len(them.scene.turns) == 1
        assert held.requests[-1].messages[-1].role == "user"


async def test_a_late_part_of_an_album_joins_while_nothing_is_answered() -> None:
    gate = Gate()
    async with sending(gate, says("Three.")) as them:
        await them.send(them.photo("Compare", number=1), them.photo(number=3))
        await them.rested()
        await gate.reached()
        await them.send(them.photo(number=2))
        await them.rested()
        await them.scene.settled()
        _, late = them.asked
        assert late.images == (PICTURE,)
        assert late.text.startswith("[Steward] This came late: it stands before")
        assert len(them.scene.turns) == 1


async def test_a_late_part_of_an_answered_album_is_a_turn_of_its_own_with_a_note() -> None:
    async with sending(says("One."), says("And another.")) as them:
        await them.send(them.photo("Compare"))
        await them.rested()
        await them.scene.settled()
        await them.scene.clock.advance(10)
        await them.send(them.photo())
        await them.rested()
        await them.scene.settled(2)
        late = them.asked[1]
        assert late.text.startswith(CAME_LATE)
        assert late.images == (PICTURE,)


async def test_a_late_part_joins_the_running_turn_by_steering() -> None:
    held = tool("look", gate=asyncio.Event())
    assert held.gate is not None
    async with sending(calls(call("a", "look")), says("Two."), tools=[held]) as them:
        await them.send(them.update("/queue steer"))
        await them.send(them.photo("Compare"))
        await them.rested()
        await held.started.wait()
        await them.send(them.photo())
        held.gate.set()
        await them.rested()
        await them.scene.settled()
        late = them.asked[1]
        assert late.steering
        assert late.images == (PICTURE,)
        assert late.text.startswith(CAME_LATE)


async def test_fragments_of_one_message_do_not_interrupt_each_other() -> None:
    old = Gate()
    async with sending(old, says("Two.")) as them:
        await them.send(them.update("/queue interrupt"))
        await them.send(them.update("The old wish"))
        await old.reached()
        await them.scene.clock.advance(10)
        await them.send(them.photo("The new wish"), them.photo())
        await them.rested()
        await them.scene.settled(2)
        ends = [turn.stop_reason for turn in them.scene.turns]
        assert ends == [StopReason.USER_CANCELLED, StopReason.FINAL_ANSWER]
        assert len(them.asked[1].images) == 2


async def test_a_late_part_interrupts_the_request_and_not_the_turn() -> None:
    gate = Gate()
    async with sending(gate, says("Two.")) as them:
        await them.send(them.update("/queue interrupt"))
        await them.send(them.photo("Compare"))
        await them.rested()
        await gate.reached()
        await them.send(them.photo())
        await them.rested()
        await them.scene.settled()
        assert [turn.stop_reason for turn in them.scene.turns] == [StopReason.FINAL_ANSWER]
        assert [len(asked.images) for asked in them.asked] == [1, 1]


async def test_stop_all_drops_every_piece_that_is_waited_for() -> None:
    async with sending() as them:
        await them.send(them.photo(), them.photo())
        await them.send(them.update("/stop all"))
        await them.scene.shows("Dropped 2 waiting messages.")
        await them.scene.clock.advance(5)
        assert not them.scene.turns


async def test_a_message_in_pieces_counts_once_for_the_pace() -> None:
    async with sending(says("Four."), says("Now.")) as them:
        await paced(them)
        await them.send(*(them.photo(sender=BOB) for _ in range(4)))
        await them.rested()
        await them.scene.settled()
        assert len(them.asked[0].images) == 4
        await them.scene.clock.advance(3)
        await them.send(them.update("And now?", BOB))
        await them.scene.settled(2)
        await them.scene.clock.advance(3)
        await them.send(them.update("One too many", BOB))
        await them.scene.shows(TWO_A_MINUTE)


async def test_a_message_that_is_declined_is_declined_with_all_its_pieces() -> None:
    async with sending(says("One."), says("Two.")) as them:
        await paced(them)
        for number in (1, 2):
            await them.send(them.update("hello", BOB))
            await them.scene.settled(number)
            await them.scene.clock.advance(3)
        await them.send(them.photo(sender=BOB))
        await them.scene.shows(TWO_A_MINUTE)
        await them.scene.clock.advance(60)
        await them.send(them.photo(sender=BOB))
        await them.scene.routed()
        dropped = [r for r in them.scene.store.rows.inbox.values() if r.state is DROPPED]
        assert len(dropped) == 2


async def test_more_than_one_message_may_hold_counts_again() -> None:
    async with sending(says("Fifty."), says("Fifty more.")) as them:
        await paced(them)
        pieces = [them.update(f"no. {n}", BOB, forwarded_from="Eve") for n in range(120)]
        await them.send(*pieces)
        await them.scene.shows(TWO_A_MINUTE)
        await them.rested()
        await them.scene.settled(2)
        assert [asked.text.count("<quoted_data from") for asked in them.asked] == [50, 50]


async def test_fragments_that_come_in_the_next_life_do_not_count_either() -> None:
    async with sending(says("Four."), says("Now.")) as them:
        await paced(them)
        await them.send(them.photo(sender=BOB))
        await them.scene.until(lambda: them.scene.clock.sleepers > 1)
        await them.scene.crash()
        await them.send(*(them.photo(sender=BOB) for _ in range(3)))
        await them.rested()
        await them.scene.settled()
        await them.scene.clock.advance(3)
        await them.send(them.update("And now?", BOB))
        await them.scene.settled(2)


async def test_stop_before_a_message_begins_takes_it_whole_and_leaves_the_next() -> None:
    async with sending(says("The next.")) as them:
        await them.send(them.photo(), them.photo())
        stop, following = them.update("/stop"), them.update("and now this")
        await them.send(stop, following)
        await them.scene.shows("Stopped before it began.")
        await them.scene.settled()
        assert [body.text for body in them.asked] == ["and now this"]
        states = [row.state for row in them.scene.store.rows.inbox.values()]
        assert states.count(InboundState.DROPPED) == 2


async def test_stop_by_another_leaves_a_message_that_is_about_to_begin() -> None:
    async with sending(says("Both.")) as them:
        await them.send(them.photo(), them.photo())
        await them.send(them.update("/stop", BOB))
        await them.scene.shows(NOTHING_TO_STOP)
        await them.rested()
        await them.scene.settled()


async def test_what_is_over_the_bounds_is_said_and_comes_as_the_next_message() -> None:
    async with sending(says("Fifty."), says("The rest.")) as them:
        pieces = [them.update(f"no. {n}", forwarded_from="Eve") for n in range(53)]
        await them.send(*pieces)
        await them.scene.settled()
        await them.scene.shows("That is more than I read as one message. I begin with 50 parts")
        await them.rested()
        await them.scene.settled(2)
        first, rest = them.asked
        assert "[Steward] More was sent at once" in first.text
        assert first.text.count("<quoted_data from") == 50
        assert rest.text.count("<quoted_data from") == 3


async def test_a_piece_that_comes_while_files_are_read_is_not_left_behind() -> None:
    async with sending(says("Both.")) as them:
        held = HeldReader()
        held.readings[b"jpeg"] = PICTURE
        them.scene.reader = held
        await them.scene.crash()
        await them.send(them.photo("Compare"))
        await them.rested()
        await held.begun.wait()
        await them.send(them.photo())
        held.release.set()
        await them.rested()
        await them.scene.settled()
        assert sum(len(asked.images) for asked in them.asked) == 2
        assert len(them.scene.turns) == 1


async def test_a_sign_is_shown_while_a_file_is_read() -> None:
    async with sending(says("Read.")) as them:
        held = HeldReader()
        them.scene.reader = held
        them.scene.files.stored["D"] = b"words"
        await them.scene.crash()
        document = Attachment("document", "a.txt", 5, "D")
        await them.send(them.update("Read", attachments=(document,)))
        await held.begun.wait()
        await them.scene.until(lambda: them.scene.channel.signs)
        assert them.scene.channel.signs[0][1] is Sign.TYPING
        assert not them.scene.turns
        held.release.set()
        await them.scene.settled()


@pytest.mark.parametrize(
    ("quote", "untrusted"),
    [
        (Quote("My cat", "Ann", own=True), "a picture"),
        (Quote("My cat", "Bob", own=False), "a quote of Bob"),
    ],
)
async def test_a_quoted_picture_is_shown_to_the_model(quote: Quote, untrusted: str | None) -> None:
    async with sending(says("A cat.")) as them:
        them.scene.files.stored["Q"] = b"jpeg"
        photo = Attachment("photo", "photo.jpg", 4, "Q")
        quoted = Quote(quote.text, quote.author, quote.own, attachments=(photo,))
        await them.send(them.update("What is this?", quote=quoted))
        await them.scene.settled()
        (asked,) = them.asked
        assert asked.images == (PICTURE,)
        kept = "it is kept as inbox/photo.jpg, 4 B"
        assert asked.text.endswith(
            f"[a photo of the quoted message, “photo.jpg”, came along; {kept}]"
        )
        assert asked.untrusted == untrusted


async def test_an_own_document_that_is_quoted_is_untrusted() -> None:
    async with sending(says("Read.")) as them:
        them.scene.files.stored["D"] = b"words"
        document = Attachment("document", "a.txt", 5, "D")
        await them.send(
            them.update("Read", quote=Quote("", "Ann", own=True, attachments=(document,)))
        )
        await them.scene.settled()
        (asked,) = them.asked
        assert 'file="inbox/a.txt" size="5 B">\nwords\n</quoted_data>' in asked.text
        assert asked.untrusted == "a document"
