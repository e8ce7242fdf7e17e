"""The port `Vectors` on Chroma: in a folder that is ours alone, or on a server."""

import base64
import hashlib
from collections.abc import Mapping, Sequence, Set
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from bot.adapters.chroma.process import ChromaProcess, Died
from bot.domain.memory.meaning import Vector
from bot.domain.memory.passage import Whose
from bot.domain.talk.errors import VectorsAway, VectorsLost
from bot.shipped import installs

_REACH_SECONDS = 10.0
_OPEN_SECONDS = 120.0
_PUT_SECONDS = 120.0
_NEAREST_SECONDS = 10.0
_DEATHS = 3
"""Deaths of the child with one index after which the index counts as broken."""

NAME = "steward"
"""Begins the names of our collections."""


class ChromaVectors:
    """Keeps the index in `folder`, or at `url` if one is given.

    With `look` it works on a copy of the folder, which another process may be writing into. On a
    server, `home` (the folder of this Steward) tells its collections from those of others.
    """

    def __init__(
        self, folder: Path, url: str | None = None, home: Path | None = None, *, look: bool = False
    ) -> None:
        self._where = _server(url) if url else {"folder": str(folder), "look": look}
        self._folder = folder
        self._program = f"{NAME}{_of_home(home)}" if url and home is not None else NAME
        self._embedded = url is None
        self._process = ChromaProcess("index")
        self._deaths = 0

    async def reach(self) -> None:
        """Raises VectorsAway when no index can be kept there: the server is away, say."""
        _check_installed()
        if self._embedded:
            self._is_there()
        else:
            await self._ask({"do": "reach"}, _REACH_SECONDS)

    async def open(self, name: str) -> bool:
        _check_installed()
        if self._embedded and (self._deaths >= _DEATHS or not self._is_there()):
            return False
        try:
            await self._begin_anew()
            answer, _ = await self._ask({"do": "open", "name": name}, _OPEN_SECONDS)
        except Died:
            # A damaged folder can end the process itself; then it cannot be opened ever again.
            return False if self._embedded else await self._away()
        except VectorsLost:
            return False
        return bool(answer["there"])

    async def make(self, name: str) -> None:
        _check_installed()
        await self._begin_anew()
        await self._ask({"do": "make", "name": name}, _OPEN_SECONDS)
        self._deaths = 0

    async def put(self, whose: Whose, vectors: Sequence[tuple[int, Vector]]) -> None:
        numbers = [number for number, _ in vectors]
        request = {"do": "put", "whose": whose, "numbers": numbers}
        await self._ask(request, _PUT_SECONDS, [vector for _, vector in vectors])

    async def remove(self, whose: Whose, numbers: Sequence[int]) -> None:
        request = {"do": "remove", "whose": whose, "numbers": list(numbers)}
        await self._ask(request, _PUT_SECONDS)
        done = not self._embedded
        while not done:
            # In steps: a search may come between them.
            answer, _ = await self._ask({"do": "move", "whose": whose}, _PUT_SECONDS)
            done = answer["done"]

    async def nearest(
        self, whose: Whose, vector: Vector, limit: int
    ) -> Sequence[tuple[int, float]]:
        request = {"do": "nearest", "whose": whose, "limit": limit}
        answer, _ = await self._ask(request, _NEAREST_SECONDS, [vector])
        return [(int(number), float(near)) for number, near in answer["found"]]

    async def held(self) -> Set[tuple[int, Whose]]:
        """Reads all vectors of the open index; returns their numbers with their owners."""
        found = set[tuple[int, Whose]]()
        answer, _ = await self._ask({"do": "owners"}, _NEAREST_SECONDS)
        for whose in answer["owners"]:
            after = 0
            while ids := (await self._some(whose, after))["ids"]:
                found.update((int(id), whose) for id in ids if id.isdecimal())
                after += len(ids)
        return found

    async def _some(self, whose: Whose, after: int) -> Mapping[str, Any]:
        request = {"do": "held", "whose": whose, "after": after}
        return (await self._ask(request, _NEAREST_SECONDS))[0]

    async def close(self) -> None:
        await self._process.end()

    async def _begin_anew(self) -> None:
        """Ends the process of a folder, whose files it keeps open; a server's can go on."""
        if self._embedded:
            await self._process.end()

    async def _ask(
        self, request: Mapping[str, Any], seconds: float, vectors: Sequence[Vector] = ()
    ) -> tuple[Mapping[str, Any], bytes]:
        opening = request["do"] in ("reach", "open", "make")
        if not opening and not self._process.alive:
            raise VectorsAway("the process of the index of meaning ended")
        asked = {**request, "program": self._program, **(self._where if opening else {})}
        try:
            return await self._process.ask(asked, vectors, seconds=seconds)
        except Died:
            self._deaths += 1
            raise

    def _is_there(self) -> bool:
        try:
            return self._folder.exists()
        except OSError as fault:
            raise VectorsAway(f"{self._folder} cannot be read: {fault.strerror}") from None

    async def _away(self) -> bool:
        raise VectorsAway("the server of the index of meaning gives no answer")


def _check_installed() -> None:
    if find_spec("chromadb") is None:
        raise VectorsAway(f"the index of meaning is not installed: run `{installs('meaning')}`")


def _of_home(home: Path) -> str:
    return hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:8]


def _server(url: str) -> Mapping[str, Any]:
    """Returns the way to a server; user and password of its address go into a header."""
    parts = urlsplit(url)
    ssl = parts.scheme == "https"
    headers: dict[str, str] = {}
    if parts.password is not None:
        login = f"{unquote(parts.username or '')}:{unquote(parts.password)}"
        headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
    port = parts.port or (443 if ssl else 8000)
    return {"host": parts.hostname or "", "port": port, "ssl": ssl, "headers": headers}
