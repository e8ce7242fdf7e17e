"""Signs thinking blocks and refuses those that come back altered or to another conversation."""

import base64
import binascii
import hmac
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from tests.standins.messages_api.model_profiles import ModelProfile
from tests.standins.messages_api.wire import (
    Json,
    Placed,
    canonical,
    content_blocks,
    digest,
    placed_blocks,
    unmarked,
)

THINKING_KINDS = frozenset({"thinking", "redacted_thinking"})

_KEY = b"the stand-in's own key"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a signature states: the model, the prefix, the thinking block before, the text."""

    model: str
    prefix: str
    previous: str
    text: str


class Prefix:
    """A running hash over system, tools and the content blocks so far, without thinking.

    Cache marks, null fields and blank texts (which nobody may send back) leave no trace in it.
    """

    def __init__(self, body: Json) -> None:
        system = [unmarked(block) for block in content_blocks(body.get("system") or "")]
        tools = [unmarked(tool) for tool in body.get("tools") or []]
        self._hash = sha256(_bytes([system, tools]))

    def add(self, role: str, block: Json) -> None:
        """Take the next content block into the hash."""
        if block["type"] in THINKING_KINDS or _is_blank(block):
            return
        self._hash.update(_bytes([role, _bare(block)]))

    def digest(self) -> str:
        """The hash of everything added so far."""
        return self._hash.hexdigest()


class Signer:
    """Signs the thinking blocks of one reply, each bound to all that stands before it."""

    def __init__(self, body: Json) -> None:
        self._model: str = body["model"]
        self._prefix = Prefix(body)
        self._previous = ""
        for placed in placed_blocks(body["messages"]):
            self._prefix.add(placed.role, placed.block)
            claim = _claim(placed.block)
            if claim and claim.model == self._model:
                self._previous = signature_of(placed.block)

    def sign(self, text: str) -> str:
        """Sign the next thinking block."""
        claim = Claim(self._model, self._prefix.digest(), digest(self._previous), digest(text))
        payload = base64.b64encode(json.dumps(asdict(claim)).encode()).decode()
        self._previous = f"{payload}.{_seal(payload)}"
        return self._previous

    def add(self, block: Json) -> None:
        """Take a block of the reply into the prefix of those after it."""
        self._prefix.add("assistant", block)


def signature_of(block: Json) -> str:
    """Read the signature of a thinking block of either kind."""
    return block["signature"] if block["type"] == "thinking" else block["data"]


def binding_faults(body: Json, profile: ModelProfile, *, drop_mismatched: bool) -> Iterator[str]:
    """Yield thinking blocks with a foreign signature, altered text or another prefix.

    Blocks of another model are passed over: the API drops them. Leaving out the first blocks of
    the conversation is allowed; leaving out one between others breaks the chain.
    """
    prefix, previous = Prefix(body), ""
    for placed in placed_blocks(body["messages"]):
        prefix.add(placed.role, placed.block)
        if placed.kind not in THINKING_KINDS:
            continue
        claim = _claim(placed.block)
        if claim is None or claim.text != digest(placed.block.get("thinking", "")):
            yield f"{placed.path}: Invalid `signature` in `thinking` block"
            continue
        if claim.model != profile.name:
            continue
        chained = not previous or claim.previous == digest(previous)
        bound = claim.prefix == prefix.digest() and chained
        if profile.binds_thinking and not bound and not drop_mismatched:
            yield _foreign(placed)
        previous = signature_of(placed.block)


def _foreign(placed: Placed) -> str:
    return (
        f"{placed.path}: Invalid `signature` in `thinking` block. The block is bound to a "
        "different conversation. Remove the block, or set "
        '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    )


def _claim(block: Json) -> Claim | None:
    if block["type"] not in THINKING_KINDS:
        return None
    payload, _, seal = signature_of(block).partition(".")
    if not hmac.compare_digest(seal.encode(), _seal(payload).encode()):
        return None
    try:
        return Claim(**json.loads(base64.b64decode(payload, validate=True)))
    except binascii.Error:
        return None


def _seal(payload: str) -> str:
    return hmac.new(_KEY, payload.encode(), sha256).hexdigest()


def _bytes(value: object) -> bytes:
    return canonical(value).encode(errors="surrogatepass")


def _is_blank(block: Json) -> bool:
    return block["type"] == "text" and not block["text"].strip()


def _bare(block: Json) -> dict[str, Any]:
    bare = unmarked(block)
    if isinstance(bare.get("content"), list):
        bare["content"] = [unmarked(inner) for inner in bare["content"]]
    return bare
