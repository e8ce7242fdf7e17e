"""A channel whose own faults stay in it: showing something never ends the run."""

import asyncio
import logging
from collections.abc import Coroutine, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from bot.domain.talk.errors import ChannelFault, StewardError
from bot.domain.talk.message import Address, Inbound, Outbound, Piece, Press, Sign
from bot.flow.delivery.flood_gate import Ready, before_sending, follow_another, wait_beside
from bot.ports.channel import NEW_DRAFT, Channel, DraftPlace, Links, Overhear, WrappedChannel
from bot.ports.sightings import Pace, Traces, unhurried

_LOG = logging.getLogger(__name__)


class ChannelFaults:
    """Collects the faults that nobody foresaw in the programs of channels.

    Each kind is logged with its trace once; each channel is reported once in a run.
    """

    def __init__(self) -> None:
        self._known: set[tuple[str, ...]] = set()
        self._channels: asyncio.Queue[str] = asyncio.Queue()

    async def next(self) -> str:
        """Waits until a channel has its first fault, and returns the name of the channel."""
        return await self._channels.get()

    @contextmanager
    def contained(self, channel: str, act: str) -> Generator[None]:
        """Returns a block whose unforeseen fault is raised as a ChannelFault."""
        try:
            yield
        except StewardError:
            raise
        except Exception as fault:  # the border of a channel: its faults are ChannelErrors
            self._note(channel, act, fault)
            raise ChannelFault(f"a fault in the program of {channel} ({act}): {fault!r}") from fault

    async def outlived(self, channel: str, work: Coroutine[Any, Any, None]) -> None:
        """Does work of a channel; an unforeseen fault of it is reported, and ends nothing."""
        try:
            with self.contained(channel, "greet"):
                await work
        except ChannelFault:
            return

    def _note(self, channel: str, act: str, fault: Exception) -> None:
        if (channel,) not in self._known:
            self._channels.put_nowait(channel)
        kind = (channel, act, type(fault).__name__)
        if kind not in self._known:
            _LOG.error("%s could not %s: a fault in its program", channel, act, exc_info=fault)
        self._known |= {(channel,), kind}


class ContainedChannel(WrappedChannel):
    """Wraps a channel, so that every fault of it is a ChannelError, as its port promises."""

    def __init__(
        self, channel: Channel, faults: ChannelFaults, overhear: Overhear | None = None
    ) -> None:
        """Takes `overhear`, which is told of each answer that grows in a chat of the channel."""
        super().__init__(channel)
        self._faults = faults
        self._overhear = overhear

    def wait_beside(self, to: Address) -> float:
        return wait_beside(self._channel, to)

    def before_sending(self, ready: Ready) -> None:
        before_sending(self._channel, ready)

    def follow_another(self) -> None:
        follow_another(self._channel)

    def parse(self, body: str) -> Inbound:
        with self._faults.contained(self.name, "read"):
            return self._channel.parse(body)

    def thread_at(self, address: Address, message_id: str) -> Address | None:
        with self._faults.contained(self.name, "find a thread"):
            return self._channel.thread_at(address, message_id)

    def split(self, content: Outbound, shown: Sequence[Piece] = ()) -> Sequence[Piece]:
        with self._faults.contained(self.name, "split"):
            return self._channel.split(content, shown)

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        with self._faults.contained(self.name, "send"):
            return await self._channel.send(to, piece, once=once)

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        with self._faults.contained(self.name, "find"):
            return await self._channel.find(to, piece, traces, pace=pace)

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        with self._faults.contained(self.name, "edit"):
            await self._channel.edit(to, message_id, piece)

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        if self._overhear is not None:
            self._overhear(to, text)
        with self._faults.contained(self.name, "draft"):
            return await self._channel.draft(to, text, links, place)

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        if self._overhear is not None and sign is Sign.TYPING:
            self._overhear(to, "")
        with self._faults.contained(self.name, "sign"):
            await self._channel.sign(to, sign, message_id)

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        with self._faults.contained(self.name, "acknowledge"):
            await self._channel.acknowledge(press, text, refused=refused, alone=alone)
