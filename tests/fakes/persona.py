"""The owner's words about who the bot is, as a test sets them."""

from dataclasses import dataclass


@dataclass(slots=True)
class FakePersona:
    words: str = ""
    fault: str = ""
    place: str = "/home/ann/steward/persona.md"
