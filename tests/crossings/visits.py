"""What two people may do on their pages with the cards of the other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bot.domain.talk.message import Address
from bot.domain.talk.person import Person, Sender
from tests.crossings.two_channels import TwoChannels
from tests.fakes.channel import Shown
from tests.scenarios.stage import ANN, BOB

TAKING = "/rights fake:2 approve commands"
"""The command that gives the member more rights, if an owner says it."""


def _as_they_are(person: Person) -> Person:
    return person


@dataclass(slots=True)
class Visits:
    """Keeps whom the page lets answer which card, and the member at both ends of the story."""

    before: Person | None = None
    after: Person | None = None
    seen_as: Callable[[Person], Person] = _as_they_are
    """Whom the page takes a visitor for; a planted fault takes them for somebody else."""
    _answering: list[tuple[str, Shown]] = field(default_factory=list[tuple[str, Shown]])
    _commanding: list[str] = field(default_factory=list[str])

    async def look(self, scene: TwoChannels, shown: Shown) -> None:
        """Asks the list of cards whether each of both may answer this card, and how."""
        address = shown.address
        chat = await scene.store.chats.at(address, private=not address.chat.startswith("-"))
        key = await scene.store.outbox.key_of(chat.id, shown.id)
        cards = scene.application.parts.inspection.pages.cards
        for sender in (ANN, BOB):
            person = await scene.store.people.by_sender(sender)
            assert person is not None
            standing = await cards.standing(self.seen_as(person), chat.id, key or "")
            if standing is not None:
                self._answering.append((sender.name, shown))
                if not standing.own and standing.takes("", TAKING):
                    self._commanding.append(sender.name)

    def faults(self, asker: Sender, at: Address) -> Iterator[str]:
        """Yields a sentence for each right that somebody took or was given without an owner."""
        if self.before != self.after:
            yield "the rights of Bob were changed, and no owner said so"
        for name, shown in self._answering:
            if name != ANN.name and (name != asker.name or shown.address != at):
                yield f"the page lets {name} answer the card of somebody else: {shown.text}"
        for name in self._commanding:
            yield f"the page lets {name} give a command in the chat of somebody else"
