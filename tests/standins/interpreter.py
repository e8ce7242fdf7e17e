"""An interpreter that stands in for pip, for Chroma's child, and for what pip has installed.

Its folder holds `fate` (how the next work ends), `installed` (when pip was there) and `pip.txt`
(what pip was told). Nothing is fetched.
"""

import json
import sys
from pathlib import Path

from bot.adapters.chroma.frames import HEAD, frame, packed, sizes

ROOT = Path(__file__).resolve().parents[2]
NO_SPACE = "Could not install packages due to an OSError: [Errno 28] No space left on device"


def interpreter(folder: Path, *, installed: bool = False) -> Path:
    """Returns a program that is started in the place of an interpreter; `folder` is its own."""
    folder.mkdir()
    if installed:
        (folder / "installed").touch()
    program = folder / "python"
    lines = (
        f"#!{sys.executable}",
        "import sys",
        "from pathlib import Path",
        f"sys.path.insert(0, {str(ROOT)!r})",
        "from tests.standins.interpreter import main",
        f"sys.exit(main(Path({str(folder)!r}), sys.argv[1:]))",
    )
    program.write_text("\n".join(lines))
    program.chmod(0o755)
    return program


def main(folder: Path, arguments: list[str]) -> int:
    told = folder / "fate"
    fate = told.read_text() if told.exists() else ""
    match arguments:
        case ["-c", _]:
            return 0 if (folder / "installed").exists() else 1
        case ["-m", "pip", *wanted]:
            (folder / "pip.txt").write_text(" ".join(wanted))
            sys.stdout.write("Collecting chromadb==1.5.0\nCollecting numpy==2.0.0\n")
            if fate == "full":
                sys.stdout.write(f"ERROR: {NO_SPACE}\n")
                return 1
            (folder / "installed").touch()
            return 0
        case [*_, "bot.adapters.chroma.child", "embed"]:
            return _embeds(fate)
        case _:
            return 2


def _embeds(fate: str) -> int:
    """Answers as Chroma's child does: two numbers for each text, or a fault of the network."""
    out = sys.stdout.buffer
    while len(head := sys.stdin.buffer.read(HEAD.size)) == HEAD.size:
        line, _ = sizes(head)
        asked = json.loads(sys.stdin.buffer.read(line))
        out.write(frame({"fetched": 41_000_000}))
        if fate == "offline":
            told = "the local embedder could not be fetched or loaded (no network)"
            out.write(frame({"id": asked["id"], "fault": "away", "why": told}))
        else:
            vectors = [[3.0, 4.0] for _ in asked["texts"]]
            out.write(frame({"id": asked["id"], "size": 2}, packed(vectors)))
        out.flush()
    return 0
