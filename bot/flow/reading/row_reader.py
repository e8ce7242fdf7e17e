"""Reads stored updates with the channel that brought them."""

from collections.abc import Mapping

from bot.domain.talk.message import Inbound, InboundMessage, Unreadable
from bot.ports.channel import Channel
from bot.ports.inbox import InboundRow


class RowReader:
    """Reads rows of the inbox; a row whose channel is closed cannot be read."""

    def __init__(self, channels: Mapping[str, Channel]) -> None:
        self._channels = channels

    def serves(self, row: InboundRow) -> bool:
        """Returns False for an update of a channel that this start does not serve."""
        return row.channel in self._channels

    def read(self, row: InboundRow) -> Inbound:
        """Returns the content of a row; never raises."""
        channel = self._channels.get(row.channel)
        if channel is None:
            return Unreadable(f"no channel named {row.channel}")
        return channel.parse(row.body)

    def message(self, row: InboundRow) -> InboundMessage | None:
        """Returns the message of a row; None when it holds something else."""
        inbound = self.read(row)
        return inbound if isinstance(inbound, InboundMessage) else None
