"""The model of the embedder `local` is fetched at its first use, and its coming is told."""

import logging
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.chroma.local_embedder import LocalEmbedder

pytest.importorskip("chromadb")
from bot.adapters.chroma import model
from bot.adapters.chroma.faults import Away

HALF = 41_000_000


class Fetched:
    """Stands in for Chroma's embedder: half of its archive is there until somebody was told."""

    ARCHIVE_FILENAME = "onnx.tar.gz"
    EXTRACTED_FOLDER_NAME = "onnx"
    DOWNLOAD_PATH = Path("nowhere")
    told = threading.Event()
    fault: Exception | None = None

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        within = self.DOWNLOAD_PATH / self.EXTRACTED_FOLDER_NAME
        if within.is_dir():
            return [[3.0, 4.0] for _ in texts]
        within.mkdir(parents=True)
        with (self.DOWNLOAD_PATH / self.ARCHIVE_FILENAME).open("wb") as archive:
            archive.truncate(HALF)
        assert self.told.wait(10)
        if self.fault is not None:
            raise self.fault
        return [[3.0, 4.0] for _ in texts]


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> type[Fetched]:
    monkeypatch.setattr(model, "ONNXMiniLM_L6_V2", Fetched)
    monkeypatch.setattr(model, "_TOLD_SECONDS", 0.01)
    monkeypatch.setattr(Fetched, "told", threading.Event())
    monkeypatch.setattr(Fetched, "fault", None)
    return Fetched


def test_how_much_has_come_is_told_while_the_model_is_fetched(
    fetched: type[Fetched], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = LocalEmbedder(tmp_path)

    def tell(news: Mapping[str, Any]) -> None:
        embedder._told(news)
        fetched.told.set()

    with caplog.at_level(logging.INFO):
        answer, _ = model.Model(tell).work({"folder": str(tmp_path), "texts": ["a"]}, b"")
    assert answer == {"size": 2}
    assert "41 of about 83 MB are here" in caplog.text
    assert not (tmp_path / fetched.ARCHIVE_FILENAME).exists()


def test_a_model_that_does_not_come_leaves_no_half_of_it_and_is_fetched_again(
    fetched: type[Fetched], tmp_path: Path
) -> None:
    fetched.told.set()
    fetched.fault = OSError("the line\nis cut")
    work = model.Model(lambda _: None).work
    asked = {"folder": str(tmp_path), "texts": ["a"]}
    with pytest.raises(Away, match=r"fetched or loaded \(the line is cut\)"):
        work(asked, b"")
    assert not (tmp_path / fetched.EXTRACTED_FOLDER_NAME).exists()
    fetched.fault = None
    assert work(asked, b"")[0] == {"size": 2}
