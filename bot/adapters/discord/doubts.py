"""The places of which an event says that something about them may have changed."""

from dataclasses import dataclass, field

from bot.adapters.discord.addresses import channel_in, is_server
from bot.adapters.discord.fields import Fields
from bot.domain.talk.message import Address


@dataclass(slots=True)
class Doubts:
    """Numbers of places, servers and threads, gathered until the next look."""

    places: set[str] = field(default_factory=set[str])
    """Channels and threads that are asked for in any case."""
    servers: set[str] = field(default_factory=set[str])
    """Servers all of whose channels are asked for; empty for those of an unknown server."""
    joined: dict[str, Fields] = field(default_factory=dict[str, Fields])
    """Servers that told of themselves: only what was lost there is asked for."""
    reopened: set[str] = field(default_factory=set[str])
    """Threads that were opened: asked for if they were lost."""

    @property
    def any(self) -> bool:
        return bool(self.places or self.servers or self.joined or self.reopened)

    def join(self, others: "Doubts") -> None:
        self.places |= others.places
        self.servers |= others.servers
        self.joined = others.joined | self.joined
        self.reopened |= others.reopened

    def holds(self, place: Address, server: str, *, is_lost: bool) -> bool:
        """Tells if a place has to be asked for; the rights of a thread are its channel's."""
        number = channel_in(place)
        if not is_server(place):
            return False
        if number in self.places or (is_lost and number in self.reopened):
            return True
        changed = server in self.servers or (is_lost and server in self.joined)
        return changed and place.thread is None
