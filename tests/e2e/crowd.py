"""Many people at once, each in a private chat of their own."""

import asyncio
import random
from collections import Counter

from tests.e2e.steward import Steward
from tests.patience import PATIENCE
from tests.standins.bot_api import Person
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, text


class Crowd:
    """Twelve owners in their private chats; the model answers each of their questions."""

    def __init__(self, steward: Steward) -> None:
        self._steward = steward
        self.people = [steward.telegram.person(3000 + n, f"P{n}") for n in range(12)]
        owners = ",".join(f"telegram:{one.id}" for one in (steward.ann, *self.people))
        steward.settings |= {"STEWARD_OWNERS": owners}
        steward.model.script.rule(self._reply)
        self.asked: dict[int, list[str]] = {one.id: [] for one in self.people}
        self._count = 0

    def ask(self, person: Person) -> str:
        self._count += 1
        wanted = f"Answer {self._count}."
        self.asked[person.id].append(wanted)
        self._steward.telegram.say(person, f"Question {self._count}!")
        return wanted

    async def answered(self, within: float = PATIENCE) -> None:
        """Waits until every question has its answer."""
        await self._steward.until(
            lambda: all(set(self.asked[p.id]) <= set(self._texts(p)) for p in self.people), within
        )

    @property
    def doubled(self) -> list[str]:
        return [told for p in self.people for told, n in Counter(self._texts(p)).items() if n > 1]

    def _texts(self, person: Person) -> list[str]:
        return [message.text for message in self._steward.telegram.screen(person.id).from_bot]

    def _reply(self, request: ReceivedRequest) -> Reply:
        said = str(request.body["messages"][-1]["content"])
        number = said.rpartition("Question ")[2].partition("!")[0]
        gate = Gate()
        asyncio.get_running_loop().call_later(random.uniform(0.05, 0.5), gate.release)
        return text(f"Answer {number}.").held(gate)
