"""The proof that a caller knows the secret of a hook."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain.hook import Hook, ProofKind

STAMP_SECONDS = 300
"""Seconds by which the time in a signature may differ from ours."""

_MOST_PARTS = 10


def proven(hook: Hook, headers: Mapping[str, str], content: bytes, now: datetime) -> bool:
    """Returns True when the headers prove the secret for this content.

    Every kind costs one digest of the content and one comparison in constant time, whatever the
    headers hold. Names of headers are in small letters.
    """
    secret = hook.secret.encode()
    match hook.proof:
        case ProofKind.BEARER:
            hmac.digest(secret, content, hashlib.sha256)
            scheme, _, token = headers.get("authorization", "").partition(" ")
            good = _same(hook.secret, token.strip())
            return good and scheme.lower() == "bearer" and bool(hook.secret)
        case ProofKind.HMAC:
            told = headers.get(hook.header, "").strip().removeprefix("sha256=")
            return _same(hmac.digest(secret, content, hashlib.sha256).hex(), told.lower())
        case ProofKind.STAMPED:
            return _stamped(secret, headers.get(hook.header, ""), content, now)


def proof_headers(hook: Hook, content: bytes, now: datetime) -> dict[str, str]:
    """Returns the headers with which a caller proves the secret for this content."""
    secret = hook.secret.encode()
    if hook.proof is ProofKind.BEARER:
        return {"authorization": f"Bearer {hook.secret}"}
    if hook.proof is ProofKind.HMAC:
        return {hook.header: f"sha256={hmac.digest(secret, content, hashlib.sha256).hex()}"}
    stamp = str(int(now.timestamp()))
    signed = hmac.digest(secret, f"{stamp}.".encode() + content, hashlib.sha256).hex()
    return {hook.header: f"t={stamp},v1={signed}"}


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
    stamp, _ = _stamp_in(headers.get(hook.header, ""))
    signed = f"id {hook.name} {stamp}.".encode() + content
    return hmac.digest(hook.secret.encode(), signed, hashlib.sha256).hex()[:16]


def _stamp_in(told: str) -> tuple[str, Sequence[tuple[str, str, str]]]:
    """Returns the time of a signature as it is spelled, and all its parts."""
    parts = [part.strip().partition("=") for part in told.split(",")[:_MOST_PARTS]]
    return next((value for name, _, value in parts if name == "t"), ""), parts


def _stamped(secret: bytes, told: str, content: bytes, now: datetime) -> bool:
    stamp, parts = _stamp_in(told)
    wanted = hmac.digest(secret, f"{stamp}.".encode() + content, hashlib.sha256).hex()
    given = [value.lower() for name, _, value in parts if name == "v1"] or [""]
    matches = [_same(wanted, value) for value in given]
    whole = stamp.isascii() and stamp.isdecimal() and len(stamp) <= 12
    return any(matches) and whole and abs(int(stamp) - now.timestamp()) <= STAMP_SECONDS


def _same(wanted: str, given: str) -> bool:
    """Compares digests of both: their lengths then tell nothing either."""
    one, other = (_digest(text) for text in (wanted, given))
    return hmac.compare_digest(one, other)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
