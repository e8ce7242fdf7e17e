"""The port `Embedder` on Chroma's own model, which runs in a child process."""

import logging
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bot.adapters.chroma.frames import unpacked
from bot.adapters.chroma.process import ChromaProcess
from bot.domain.memory.meaning import Vector, first_bytes, unit
from bot.domain.talk.errors import EmbedderError, EmbedderRefuses, MeaningError
from bot.ports.embedder import Embedded
from bot.shipped import installs

_LOG = logging.getLogger(__name__)

_FETCH_SECONDS = 1_800.0
"""Seconds for fetching the model (80 MB) and the first vectors."""

_SECONDS = 60.0
_AT_ONCE = 4
"""Texts of one request to the child: a person's question waits for no more than that."""

_MOST_BYTES = 2_000
"""Bytes of a text: the model looks at 256 tokens, and so at no more than its beginning."""


class LocalEmbedder:
    """Embeds without a network once its model is there; `folder` keeps the model."""

    name = "all-MiniLM-L6-v2"
    price = None
    metered = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = ChromaProcess("embed", self._told)
        self._loaded = False

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if find_spec("chromadb") is None:
            raise EmbedderError(f"the local embedder is not installed: run `{installs('meaning')}`")
        found: list[Vector] = []
        for n in range(0, len(texts), _AT_ONCE):
            found.extend(await self._some(texts[n : n + _AT_ONCE]))
        return Embedded(found)

    async def close(self) -> None:
        await self._process.end()

    async def _some(self, texts: Sequence[str]) -> list[Vector]:
        request = {
            "do": "embed",
            "folder": str(self._folder),
            "texts": [first_bytes(text, _MOST_BYTES) for text in texts],
        }
        seconds = _SECONDS if self._loaded else _FETCH_SECONDS
        try:
            answer, numbers = await self._process.ask(request, seconds=seconds)
        except MeaningError as fault:
            raise EmbedderError(str(fault)) from None
        self._loaded = True
        try:
            return [unit(vector) for vector in unpacked(numbers, int(answer["size"]))]
        except ValueError:
            raise EmbedderRefuses("the local embedder finds no meaning in the text") from None

    def _told(self, news: Mapping[str, Any]) -> None:
        if "fetched" in news:
            megabytes = int(news["fetched"]) // 1_000_000
            _LOG.info("fetching the local embedder: %d of about 83 MB are here", megabytes)
