"""The part of Chroma that the index uses: its Python package, a server and a folder all have it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Collection(Protocol):
    """Vectors by their ids."""

    @property
    def name(self) -> str: ...

    @property
    def metadata(self) -> Mapping[str, Any] | None: ...

    def count(self) -> int: ...

    def upsert(self, *, ids: list[str], embeddings: Any) -> None: ...

    def delete(self, *, ids: list[str]) -> Any: ...

    def get(
        self,
        ids: Any = None,
        *,
        limit: int | None = None,
        offset: int | None = None,
        include: Any,
    ) -> Mapping[str, Any]: ...

    def query(self, *, query_embeddings: Any, n_results: int, include: Any) -> Mapping[str, Any]:
        """Returns the nearest with their distances, for each question a list."""
        ...

    def modify(self, *, metadata: Any) -> None: ...


class Client(Protocol):
    """Collections by their names."""

    def list_collections(self) -> Sequence[Collection]: ...

    def get_or_create_collection(
        self, name: str, *, configuration: Any, metadata: Any, embedding_function: None
    ) -> Collection: ...

    def delete_collection(self, name: str) -> None:
        """Raises a fault that says so when there is none of this name."""
        ...


def is_missing(fault: Exception) -> bool:
    """Returns True when Chroma says that a collection is not there.

    Its class lies in a package of 60 MB.
    """
    return type(fault).__name__ == "NotFoundError"
