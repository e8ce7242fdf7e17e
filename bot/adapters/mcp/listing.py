"""The last listings of servers, kept on disk: a restart has the tools without a server's start."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.adapters.mcp.remote import RemoteTool
from bot.domain.tools.server import ServerSpec

_VERSION = 2
"""Grows when listings are read in another way: older files are not trusted then."""


class Listings:
    """Keeps one small file for each server; an unreadable file counts as missing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, spec: ServerSpec) -> tuple[RemoteTool, ...] | None:
        """Returns the last listing of exactly this server; None when there is none."""
        try:
            kept = json.loads(self._file(spec).read_text(encoding="utf-8"))
            if (kept["version"], kept["identity"]) != (_VERSION, spec.identity):
                return None
            return tuple(_tool(**each) for each in kept["tools"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, spec: ServerSpec, tools: Sequence[RemoteTool]) -> None:
        """Stores a listing; raises OSError."""
        listed = [asdict(tool) for tool in tools]
        kept = {"version": _VERSION, "identity": spec.identity, "tools": listed}
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = self._file(spec)
        fresh = file.with_suffix(".new")
        fresh.write_text(json.dumps(kept), encoding="utf-8")
        fresh.replace(file)

    def _file(self, spec: ServerSpec) -> Path:
        return self._folder / f"{spec.name}.json"


def _tool(
    name: str,
    description: str,
    schema: dict[str, Any],
    reads: bool,
    destroys: bool,
    fault: str = "",
) -> RemoteTool:
    return RemoteTool(name, description, schema, reads, destroys, fault)
