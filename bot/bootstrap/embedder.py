"""Builds the embedder and the index of meaning as the settings want them."""

import asyncio
import logging
import shutil

from bot.adapters.chroma.local_embedder import LocalEmbedder
from bot.adapters.chroma.vectors import ChromaVectors
from bot.adapters.embeddings.embedder import Embeddings
from bot.adapters.sql.store import Store
from bot.ports.embedder import Embedder
from bot.settings import Settings

LOCAL = "local"
"""The name of Chroma's own embedder in the settings."""

_FOLDER = "meaning"
_LOG = logging.getLogger(__name__)


def embedder(settings: Settings) -> Embedder | None:
    """Returns the embedder that the settings name, not yet loaded; None when there is none."""
    access = settings.meaning
    if access.model is None:
        return None
    if access.model == LOCAL:
        return LocalEmbedder(settings.home / "embedder")
    key = access.key.get_secret_value() if access.key else None
    return Embeddings(access.url, access.model, key, access.price)


def vectors(settings: Settings, *, look: bool = False) -> ChromaVectors:
    """Returns the index of meaning, not yet opened; to `look` at it, it is copied first."""
    folder = settings.home / _FOLDER
    return ChromaVectors(folder, settings.meaning.index_url, settings.home, look=look)


async def drop_unused(settings: Settings, store: Store) -> None:
    """Deletes the folder of an index that no embedder uses any more.

    Nothing could be erased in it without loading its library. It is made anew from the memory.
    """
    folder = settings.home / _FOLDER
    if settings.meaning.model is not None or settings.meaning.index_url is not None:
        return
    if await store.meant.begun() is not None:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        await store.meant.begin(None)
        _LOG.info("no embedder is set: the index of meaning was deleted")
