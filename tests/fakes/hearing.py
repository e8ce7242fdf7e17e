"""Ears that understand what a test lays ready."""

from dataclasses import dataclass, field
from decimal import Decimal

from bot.domain.money.model import Usage
from bot.domain.talk.errors import ModelError
from bot.ports.hearing import Speech


@dataclass(slots=True)
class FakeHearing:
    """`speeches` by sound; the next calls raise `faults`, in order."""

    speeches: dict[bytes, str] = field(default_factory=dict[bytes, str])
    faults: list[ModelError] = field(default_factory=list[ModelError])
    minute: Decimal | None = Decimal("0.006")
    model: str = "hear/fake"
    heard: list[str] = field(default_factory=list[str])

    async def hear(self, sound: bytes, name: str) -> Speech:
        self.heard.append(name)
        if self.faults:
            raise self.faults.pop(0)
        return Speech(self.speeches[sound], Usage())
