"""Files of messages, handed out as attachments: nothing of them runs here."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from bot.adapters.web.shell import visitor_of
from bot.adapters.web.talks import Talks

_OURS, _SENT = "/file/", "/sent/"
_PICTURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}
_ANYTHING = "application/octet-stream"


def routes(talks: Talks) -> Sequence[Route]:
    async def file(request: Request) -> Response:
        row, number = request.path_params["row"], request.path_params["number"]
        if row > 2**62 or number > 1_000:
            raise HTTPException(404)
        sent = request.url.path.startswith(_SENT)
        found = await talks.file(visitor_of(request).person, row, number, sent=sent)
        if found is None:
            raise HTTPException(404)
        headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(found.name, '')}"}
        if found.text is not None:
            return Response(found.text.encode("utf-8", "replace"), 200, headers, _ANYTHING)
        path = Path(found.path)
        there, picture = await asyncio.to_thread(_looked_at, path)
        if not there:
            raise HTTPException(404)
        kind = picture if request.query_params.get("show") == "1" else ""
        if kind:
            headers["content-disposition"] = "inline"
        return FileResponse(path, 200, headers, kind or _ANYTHING)

    return [Route(f"{begin}{{row:int}}/{{number:int}}", file) for begin in (_OURS, _SENT)]


def _looked_at(path: Path) -> tuple[bool, str]:
    return path.is_file(), picture_kind(path)


def picture_kind(path: Path) -> str:
    """Returns the type of a picture by its first bytes; empty for anything else, SVG too."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        return ""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for sign, kind in _PICTURES.items() if head.startswith(sign)), "")
