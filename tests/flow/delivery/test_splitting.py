"""Long texts are split beside the event loop, and plainly where formatting never ends."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.domain.talk.message import Markdown, Outbound, OutboundKind, Piece, Plain
from bot.flow.delivery.showing import SHORT, pieces_of
from tests.fakes.channel import FakeChannel


@dataclass
class BusyChannel(FakeChannel):
    """A channel whose formatting of Markdown goes on until the test releases it."""

    release: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list[threading.Thread])

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        self.threads.append(threading.current_thread())
        if any(isinstance(block, Markdown) for block in content.blocks):
            self.release.wait(30)
        return super().split(content, shown)


def answer(*blocks: Markdown | Plain) -> Outbound:
    return Outbound(OutboundKind.ANSWER, blocks)


async def test_a_text_that_cannot_be_formatted_in_time_is_shown_as_it_is_written() -> None:
    channel = BusyChannel()
    text = "$" * (SHORT + 1)
    try:
        pieces = await pieces_of(channel, answer(Markdown(text)), seconds=0.01)
    finally:
        channel.release.set()
    assert "".join(piece.body["text"] for piece in pieces) == text


async def test_a_short_text_is_split_at_once_and_a_long_one_in_a_thread() -> None:
    channel = BusyChannel()
    channel.release.set()
    await pieces_of(channel, answer(Markdown("Hi")))
    await pieces_of(channel, answer(Plain("x" * (SHORT + 1))))
    assert [one is threading.main_thread() for one in channel.threads] == [True, False]
