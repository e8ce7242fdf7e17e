"""Parameters of a call, whichever way the body carries them: query, form, JSON, multipart."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from starlette.requests import Request

from tests.standins.bot_api.refusal import bad_request

_DISPOSITION = re.compile(rb'(name|filename)="((?:[^"\\]|\\.)*)"')
_CONTENT_TYPE = re.compile(rb"(?im)^content-type:\s*([^\r\n;]+)")
_TRUE = ("true", "1", "yes", "t", "y")


@dataclass(frozen=True)
class Upload:
    name: str
    mime_type: str
    data: bytes


@dataclass(frozen=True)
class Parameters:
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    uploads: Mapping[str, Upload] = field(default_factory=dict[str, Upload])

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def text(self, name: str) -> str:
        """A string; absent is empty, and other JSON values are taken by their JSON text."""
        value = self.values.get(name, "")
        text = value if isinstance(value, str) else json.dumps(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise bad_request("strings must be encoded in UTF-8") from None
        return text

    def integer(self, name: str, default: int = 0) -> int:
        text = self.text(name).strip()
        return int(text) if re.fullmatch(r"-?\d{1,19}", text) else default

    def flag(self, name: str) -> bool:
        return self.text(name).lower() in _TRUE

    def json(self, name: str) -> object:
        """A JSON value, given as such or as a string; None when absent or empty."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return json.loads(value)
        except ValueError:
            raise bad_request(f"can't parse {name} JSON object") from None


async def read_parameters(request: Request) -> Parameters:
    values: dict[str, object] = dict(request.query_params)
    uploads: dict[str, Upload] = {}
    body = await request.body()
    kind = request.headers.get("content-type", "")
    if kind.startswith("application/json"):
        values |= _json_object(body)
    elif kind.startswith("application/x-www-form-urlencoded"):
        pairs = parse_qsl(_utf8(body), keep_blank_values=True, errors="surrogateescape")
        values |= dict(pairs)
    elif kind.startswith("multipart/form-data"):
        _read_parts(body, kind, values, uploads)
    return Parameters(values, uploads)


def _json_object(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(body) if body else {}
    except ValueError:
        raise bad_request("can't parse request body as a JSON object") from None
    if not isinstance(value, dict):
        raise bad_request("request body must be a JSON object")
    return {name: part for name, part in value.items() if part is not None}


def _utf8(data: bytes) -> str:
    """Undecodable bytes become lone surrogates, which reading the parameter refuses."""
    return data.decode("utf-8", "surrogateescape")


def _read_parts(
    body: bytes, kind: str, values: dict[str, object], uploads: dict[str, Upload]
) -> None:
    boundary = re.search(r'boundary="?([^";]+)', kind)
    if boundary is None:
        raise bad_request("boundary of the multipart body is missing")
    delimiter = b"\r\n--" + boundary.group(1).encode()
    for part in (b"\r\n" + body).split(delimiter)[1:-1]:
        head, _, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        names = {key: _utf8(value) for key, value in _DISPOSITION.findall(head)}
        name = names.get(b"name", "")
        if b"filename" in names:
            found = _CONTENT_TYPE.search(head)
            mime_type = _utf8(found.group(1)).strip() if found else "application/octet-stream"
            uploads[name] = Upload(names[b"filename"], mime_type, data)
        else:
            values[name] = _utf8(data)
