"""Both ways into a folder of Chroma do the same: its native library, and its Python package."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

if find_spec("chromadb") is None:
    pytest.skip("could not import 'chromadb'", allow_module_level=True)

import chromadb_rust_bindings

from bot.adapters.chroma import bound
from bot.adapters.chroma.collections import Client, is_missing

_HOW = {"hnsw": {"space": "cosine", "max_neighbors": 16}}


@pytest.mark.parametrize("opened", [bound.opened, bound.by_package])
def test_collections_are_made_filled_searched_changed_and_dropped(
    opened: Callable[[Path], Client], tmp_path: Path
) -> None:
    tmp_path.joinpath("index").mkdir()
    client = opened(tmp_path / "index")
    made = client.get_or_create_collection(
        "one-p1-0", configuration=_HOW, metadata={"whole": 0}, embedding_function=None
    )
    made.upsert(ids=["1", "2", "3"], embeddings=[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    made.upsert(ids=["3"], embeddings=[[0.8, 0.6]])
    made.delete(ids=["2", "9"])
    made.modify(metadata={"whole": 1})
    [found] = client.list_collections()
    assert (found.name, dict(found.metadata or {})) == ("one-p1-0", {"whole": 1})
    assert found.count() == 2
    near = found.query(query_embeddings=[[1.0, 0.0]], n_results=9, include=["distances"])
    assert near["ids"] == [["1", "3"]]
    assert near["distances"][0] == pytest.approx([0.0, 0.2], abs=0.001)
    one = found.get(ids=["3", "9"], include=["embeddings"])
    assert (one["ids"], [list(each) for each in one["embeddings"]]) == (
        ["3"],
        [pytest.approx([0.8, 0.6])],
    )
    second = found.get(limit=1, offset=1, include=["embeddings"])
    assert second["ids"] == ["3"]
    client.delete_collection("one-p1-0")
    assert list(client.list_collections()) == []
    with pytest.raises(Exception, match="one-p1-0") as fault:
        client.delete_collection("one-p1-0")
    assert is_missing(fault.value)


def test_native_calls_are_known_by_the_names_of_their_arguments() -> None:
    native: Any = chromadb_rust_bindings
    known = native.Bindings
    assert bound.is_known(known)
    assert not bound.is_known(object)
    calls = {name: getattr(known, name) for name in dir(known) if not name.startswith("_")}
    assert bound.is_known(SimpleNamespace(**calls))
    changed = SimpleNamespace(__text_signature__="($self, collection_id, ids, vectors, n_results)")
    assert not bound.is_known(SimpleNamespace(**calls | {"query": changed}))
