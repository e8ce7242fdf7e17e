"""What is checked before a request's body is looked into: key, headers, size, JSON."""

import json
from collections.abc import Mapping

from tests.standins.messages_api.refusal import Refusal
from tests.standins.messages_api.rules.terms import VERSIONS
from tests.standins.messages_api.wire import Json

_MAX_BODY = 32 * 1024 * 1024


def key_refusal(headers: Mapping[str, str], api_key: str) -> Refusal | None:
    """Refuse a missing or wrong key, then a missing or unknown API version.

    The key may come as `x-api-key`, or as a bearer token, which is how the current SDK sends
    it; given both, the API reads `x-api-key`.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    given = headers.get("x-api-key") or (token if scheme == "Bearer" else "")
    if not given:
        return Refusal(401, "x-api-key header is required")
    if given != api_key:
        return Refusal(401, "invalid x-api-key")
    version = headers.get("anthropic-version")
    if version is None:
        return Refusal(400, "anthropic-version: header is required")
    if version not in VERSIONS:
        return Refusal(400, f'anthropic-version: "{version}" is not a valid version')
    return None


def body_refusal(headers: Mapping[str, str], raw: bytes) -> Refusal | None:
    """Refuse a body that is not declared as JSON, or is too large."""
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return Refusal(400, "content-type: must be application/json")
    if len(raw) > _MAX_BODY:
        return Refusal(413, "Request exceeds the maximum size")
    return None


def parsed(raw: bytes) -> Json | Refusal:
    """Read a JSON object; half a surrogate pair anywhere in it is refused."""
    try:
        body = json.loads(raw)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        return Refusal(400, f"The request body is not valid JSON: {error}")
    if not isinstance(body, dict):
        return Refusal(400, "Input should be a valid dictionary")
    try:
        if b"\\ud" in raw.lower():
            json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        place = f"line 1 column {error.start + 1} (char {error.start})"
        return Refusal(
            400, f"The request body is not valid JSON: no low surrogate in string: {place}"
        )
    return body
