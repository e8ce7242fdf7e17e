"""The proof that a caller knows the secret of a hook."""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from bot.domain.assignments.hook import Hook, ProofKind

STAMP_SECONDS = 300
"""Seconds by which the time in a signature may differ from ours."""

_MOST_PARTS = 10
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Purpose(StrEnum):
    """The use of a signature; each one but a call has a key of its own, made of the secret."""

    CALL = "call"
    """Signed with the secret itself, as the services do that call: their form has no name in it."""
    STATUS = "status"
    """Signed with a key of this hook."""


def key_for(hook: Hook, purpose: Purpose) -> bytes:
    """Returns the key with which a signature of this purpose is made."""
    if purpose is Purpose.CALL:
        return hook.secret.encode()
    return _derived(hook.secret, f"steward hook {hook.name} {purpose}")


def proven(
    hook: Hook,
    headers: Mapping[str, str],
    content: bytes,
    now: datetime,
    purpose: Purpose = Purpose.CALL,
) -> bool:
    """Returns True when the headers prove the secret for this content and this purpose.

    Every kind makes one comparison in constant time, whatever the headers hold. Names of headers
    are in small letters.
    """
    key = key_for(hook, purpose)
    match hook.proof:
        case ProofKind.BEARER:
            return _has_token(hook, headers)
        case ProofKind.HMAC:
            return _same(_signed(key, content), _signature_in(hook, headers))
        case ProofKind.STAMPED:
            return _stamped(key, headers.get(hook.header, ""), content, now)


def may_be_proven(hook: Hook, headers: Mapping[str, str], now: datetime) -> bool:
    """Returns True when the headers hold what might be a proof, before its content is read."""
    match hook.proof:
        case ProofKind.BEARER:
            return _has_token(hook, headers)
        case ProofKind.HMAC:
            return _DIGEST.fullmatch(_signature_in(hook, headers)) is not None
        case ProofKind.STAMPED:
            stamp, parts = _stamp_in(headers.get(hook.header, ""))
            given = (value.lower() for name, _, value in parts if name == "v1")
            return _is_near(stamp, now) and any(map(_DIGEST.fullmatch, given))


def proof_headers(
    hook: Hook, content: bytes, now: datetime, purpose: Purpose = Purpose.CALL
) -> dict[str, str]:
    """Returns the headers with which a caller proves the secret for this content."""
    key = key_for(hook, purpose)
    if hook.proof is ProofKind.BEARER:
        return {"authorization": f"Bearer {hook.secret}"}
    if hook.proof is ProofKind.HMAC:
        return {hook.header: f"sha256={_signed(key, content)}"}
    stamp = str(int(now.timestamp()))
    return {hook.header: f"t={stamp},v1={_signed(key, f'{stamp}.'.encode() + content)}"}


def key_of(hook: Hook, headers: Mapping[str, str]) -> str:
    """Returns the key by which the caller wants a call to be known again; empty without one."""
    return headers.get(hook.key_header, "").strip()


def id_of(hook: Hook, headers: Mapping[str, str], content: bytes) -> str | None:
    """Returns the id of a call that a signature with a time proves; None for other proofs.

    It is the same for every recording of the call, however its headers are changed: they are not
    signed.
    """
    if hook.proof is not ProofKind.STAMPED:
        return None
    key = _derived(hook.secret, f"steward hook {hook.name} id")
    return _signed(key, _signed_of(hook, headers, content))[:16]


def seal_of(hook: Hook, headers: Mapping[str, str], content: bytes) -> str:
    """Returns the same text for every call with this signature; empty for a bearer token.

    It is the same at every hook with the same secret, so a recorded call is known again at another
    one. Nothing that the caller did not sign has a part in it.
    """
    if hook.proof is ProofKind.BEARER:
        return ""
    return _signed(_derived(hook.secret, "steward seal"), _signed_of(hook, headers, content))


def _signed_of(hook: Hook, headers: Mapping[str, str], content: bytes) -> bytes:
    """Returns what the signature of a call is made of."""
    if hook.proof is not ProofKind.STAMPED:
        return content
    stamp, _ = _stamp_in(headers.get(hook.header, ""))
    return f"{stamp}.".encode() + content


def _derived(secret: str, use: str) -> bytes:
    return hmac.digest(secret.encode(), use.encode(), hashlib.sha256)


def _signed(key: bytes, content: bytes) -> str:
    return hmac.digest(key, content, hashlib.sha256).hex()


def _signature_in(hook: Hook, headers: Mapping[str, str]) -> str:
    return headers.get(hook.header, "").strip().removeprefix("sha256=").lower()


def _has_token(hook: Hook, headers: Mapping[str, str]) -> bool:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    good = _same(hook.secret, token.strip())
    return good and scheme.lower() == "bearer" and bool(hook.secret)


def _stamp_in(told: str) -> tuple[str, Sequence[tuple[str, str, str]]]:
    """Returns the time of a signature as it is spelled, and all its parts."""
    parts = [part.strip().partition("=") for part in told.split(",")[:_MOST_PARTS]]
    return next((value for name, _, value in parts if name == "t"), ""), parts


def _stamped(key: bytes, told: str, content: bytes, now: datetime) -> bool:
    stamp, parts = _stamp_in(told)
    wanted = _signed(key, f"{stamp}.".encode() + content)
    given = [value.lower() for name, _, value in parts if name == "v1"] or [""]
    matches = [_same(wanted, value) for value in given]
    return any(matches) and _is_near(stamp, now)


def _is_near(stamp: str, now: datetime) -> bool:
    whole = stamp.isascii() and stamp.isdecimal() and len(stamp) <= 12
    return whole and abs(int(stamp) - now.timestamp()) <= STAMP_SECONDS


def _same(wanted: str, given: str) -> bool:
    """Compares digests of both: their lengths then tell nothing either."""
    one, other = (_digest(text) for text in (wanted, given))
    return hmac.compare_digest(one, other)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
