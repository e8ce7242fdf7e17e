"""Chroma in a folder, by the native library alone that its Python package drives.

The package loads 700 modules to call it: telemetry, a client for servers, a command line. They take
60 MB of memory, and a folder needs none of them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from bot.adapters.chroma.collections import Client

_CALLED: Mapping[str, Sequence[str]] = {
    "list_collections": (),
    "create_collection": ("name", "configuration_json_str", "metadata", "get_or_create"),
    "update_collection": ("collection_id", "new_metadata"),
    "delete_collection": ("name", "tenant", "database"),
    "count": ("collection_id",),
    "upsert": ("collection_id", "ids", "embeddings"),
    "delete": ("collection_id", "ids"),
    "get": ("collection_id", "ids", "limit", "offset", "include"),
    "query": ("collection_id", "ids", "query_embeddings", "n_results", "include"),
}
"""The calls in use with the names of their arguments; a later version may have others."""

_TENANT, _DATABASE = "default_tenant", "default_database"
_INDEXES = 200
"""Collections that the library keeps loaded at once; each has five files open."""


def opened(folder: Path) -> Client:
    """Opens a folder; by the Python package if the native library is not the one known here."""
    import chromadb_rust_bindings  # a server's process needs none of it

    native: Any = chromadb_rust_bindings  # It tells no types.
    if not is_known(native.Bindings):
        return by_package(folder)
    config = native.SqliteDBConfig(
        hash_type=native.MigrationHash.MD5,
        migration_mode=native.MigrationMode.Apply,
        url=str(folder / "chroma.sqlite3"),
    )
    bound = native.Bindings(
        allow_reset=False,
        sqlite_db_config=config,
        hnsw_cache_size=_INDEXES,
        persist_path=str(folder),
    )
    return BoundClient(bound)


def by_package(folder: Path) -> Client:
    """Opens a folder by the Python package."""
    import chromadb  # 60 MB, where they are needed alone
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    return cast(Client, chromadb.PersistentClient(folder, settings=settings))


def is_known(bindings: Any) -> bool:
    """Returns True when everything that is called takes the arguments that it is called with."""
    for name, arguments in _CALLED.items():
        signature = getattr(getattr(bindings, name, None), "__text_signature__", None) or ""
        known = {each.partition("=")[0].strip() for each in signature.strip("()").split(",")}
        if not signature or not known.issuperset(arguments):
            return False
    return True


class BoundClient:
    """The part of Chroma's client that the index needs."""

    def __init__(self, bound: Any) -> None:
        self._bound = bound

    def list_collections(self) -> Sequence["BoundCollection"]:
        return [_collection(self._bound, each) for each in self._bound.list_collections()]

    def get_or_create_collection(
        self,
        name: str,
        *,
        configuration: Mapping[str, Any],
        metadata: Mapping[str, int],
        embedding_function: None,
    ) -> "BoundCollection":
        del embedding_function  # The native library has none.
        made = self._bound.create_collection(
            name=name,
            configuration_json_str=json.dumps(configuration),
            metadata=dict(metadata),
            get_or_create=True,
        )
        return _collection(self._bound, made)

    def delete_collection(self, name: str) -> None:
        self._bound.delete_collection(name=name, tenant=_TENANT, database=_DATABASE)


@dataclass(frozen=True, slots=True)
class BoundCollection:
    """The part of Chroma's collection that the index needs."""

    bound: Any
    id: str
    name: str
    metadata: Mapping[str, Any] | None

    def count(self) -> int:
        return self.bound.count(collection_id=self.id)

    def upsert(self, *, ids: list[str], embeddings: Sequence[Sequence[float]]) -> None:
        self.bound.upsert(collection_id=self.id, ids=ids, embeddings=embeddings)

    def delete(self, *, ids: list[str]) -> None:
        self.bound.delete(collection_id=self.id, ids=ids)

    def get(
        self,
        ids: list[str] | None = None,
        *,
        limit: int | None = None,
        offset: int | None = None,
        include: Any,
    ) -> Mapping[str, Any]:
        found = self.bound.get(
            collection_id=self.id, ids=ids, limit=limit, offset=offset or 0, include=include
        )
        return {"ids": found.ids, "embeddings": found.embeddings}

    def query(self, *, query_embeddings: Any, n_results: int, include: Any) -> Mapping[str, Any]:
        found = self.bound.query(
            collection_id=self.id,
            ids=None,
            query_embeddings=query_embeddings,
            n_results=n_results,
            include=include,
        )
        return {"ids": found.ids, "distances": found.distances}

    def modify(self, *, metadata: Mapping[str, int]) -> None:
        self.bound.update_collection(collection_id=self.id, new_metadata=dict(metadata))


def _collection(bound: Any, found: Any) -> BoundCollection:
    return BoundCollection(bound, str(found.id), found.name, found.metadata)
