"""Loads the library that lays contents out when it is first needed, or before that in peace."""

import importlib
import threading
from collections.abc import Sequence
from typing import cast

from bot.adapters.terminal.fragments import Lines
from bot.adapters.terminal.renderer import Border, Renderer


class LateRenderer:
    """A renderer that costs nothing until something is laid out; may be used by threads."""

    def __init__(self) -> None:
        self._loaded: Renderer | None = None
        self._loading = threading.Lock()

    def load(self) -> Renderer:
        """Loads the library, for a tenth of a second; the first prompt need not wait for it."""
        with self._loading:
            if self._loaded is None:
                module = importlib.import_module("bot.adapters.terminal.rendering")
                self._loaded = cast("Renderer", module.Rendering())
            return self._loaded

    def markdown(self, text: str, width: int, start: int = 0, end: int | None = None) -> Lines:
        return self.load().markdown(text, width, start, end)

    def borders(self, text: str) -> Sequence[Border]:
        return self.load().borders(text)

    def plain(self, text: str, width: int, *, code: bool = False) -> Lines:
        return self.load().plain(text, width, code=code)

    def code(self, text: str, language: str, width: int) -> Lines:
        return self.load().code(text, language, width)
