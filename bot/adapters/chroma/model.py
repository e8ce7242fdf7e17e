"""Chroma's own embedder inside the child; its model is fetched at the first use."""

import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from chromadb.utils.embedding_functions.onnx_mini_lm_l6_v2 import ONNXMiniLM_L6_V2

from bot.adapters.chroma.faults import Away

_TOLD_SECONDS = 5.0
"""Seconds between two words about how much of the model has come."""


class Model:
    """Answers requests for vectors; the model lies in Chroma's folder, or else in `folder`."""

    def __init__(self, tell: Callable[[Mapping[str, Any]], None]) -> None:
        self._tell = tell
        self._embed: ONNXMiniLM_L6_V2 | None = None

    def work(self, asked: Mapping[str, Any], _: bytes) -> tuple[Mapping[str, Any], bytes]:
        if self._embed is None:
            self._embed = self._loaded(Path(asked["folder"]))
        vectors = np.asarray(self._embed(asked["texts"]), dtype=np.float32)
        return {"size": int(vectors.shape[1])}, vectors.tobytes()

    def _loaded(self, folder: Path) -> ONNXMiniLM_L6_V2:
        embed = ONNXMiniLM_L6_V2()
        within = ONNXMiniLM_L6_V2.EXTRACTED_FOLDER_NAME
        if not (embed.DOWNLOAD_PATH / within / "model.onnx").is_file():
            embed.DOWNLOAD_PATH = folder
        archive = embed.DOWNLOAD_PATH / embed.ARCHIVE_FILENAME
        ended = threading.Event()
        watch = threading.Thread(target=self._watch, args=(archive, ended), daemon=True)
        watch.start()
        try:
            embed(["ready"])
        except Exception as fault:  # a library's, of the network or of the model
            # A death while it was unpacked leaves parts that look whole.
            shutil.rmtree(embed.DOWNLOAD_PATH / within, ignore_errors=True)
            why = " ".join(str(fault).split())[:200] or type(fault).__name__
            raise Away(f"the local embedder could not be fetched or loaded ({why})") from None
        finally:
            ended.set()
        archive.unlink(missing_ok=True)
        return embed

    def _watch(self, archive: Path, ended: threading.Event) -> None:
        while not ended.wait(_TOLD_SECONDS):
            if archive.exists():
                self._tell({"fetched": archive.stat().st_size})
