"""A voice that a test can follow, and a folder in memory for what it said."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from bot.domain.talk.errors import ModelError
from tests.fakes.model import Gate
from tests.standins.opus import opus


@dataclass(slots=True)
class FakeSpeaking:
    """Keeps the words it spoke; the next calls raise `faults`, in order, and `gate` holds them."""

    faults: list[ModelError] = field(default_factory=list[ModelError])
    price: Decimal | None = Decimal(15)
    model: str = "speak/fake"
    asked: int = 0
    spoken: list[str] = field(default_factory=list[str])
    sound: bytes | None = None
    gate: Gate | None = None

    async def speak(self, words: str) -> bytes:
        self.asked += 1
        if self.gate is not None:
            await self.gate.passed()
        if self.faults:
            raise self.faults.pop(0)
        self.spoken.append(words)
        return opus(len(words) / 15) if self.sound is None else self.sound


@dataclass(slots=True)
class FakeSounds:
    """The port `Sounds`; when it is `full`, nothing can be kept."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    full: bool = False

    async def keep(self, turn: str, sound: bytes) -> str | None:
        if self.full:
            return None
        self.files[turn] = sound
        return f"/sounds/{turn}"

    async def kept(self, turn: str) -> tuple[str, bytes] | None:
        sound = self.files.get(turn)
        return None if sound is None else (f"/sounds/{turn}", sound)

    async def all(self) -> Sequence[str]:
        return list(self.files)

    async def drop(self, turn: str) -> None:
        self.files.pop(turn, None)
