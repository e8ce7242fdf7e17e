"""Every part of the flow put together over its ports: the same for the program and for tests."""

from bot.flow.composition.composition import Composition

__all__ = ["Composition"]
