"""Words, data and proofs of hooks, whatever a caller sends."""

import hmac
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.assignments.hook import Hook, ProofKind
from bot.domain.assignments.hook_proof import (
    STAMP_SECONDS,
    Purpose,
    id_of,
    may_be_proven,
    proof_headers,
    proven,
    seal_of,
)
from bot.domain.assignments.hook_words import MOST_DATA, filled, read_json, unclear_in
from bot.domain.text.foreign_text import as_read
from bot.domain.text.look_alikes import BLOCK

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
SECRET = "a-secret-of-some-length"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def a_hook(proof: ProofKind) -> Hook:
    return Hook("build", "owner", "owner", "Look.", "HOOK_A", SECRET, proof)


@given(JSON, st.text())
def test_no_value_leaves_its_block_or_gets_into_the_words(value: Any, more: str) -> None:
    told = filled("Look at {{a}} and {{b.0}}.", {"a": value, "b": [more], "c": value})
    assert told.words == "Look at ⟨a⟩ and ⟨b.0⟩."
    lines = told.data.split("\n")
    assert [line.partition(" = ")[0] for line in lines] == ["⟨a⟩", "⟨b.0⟩"]
    assert all(line.count("⟨") == 1 for line in lines)
    read = as_read(told.data, "a call of the hook build")
    assert (read.count(f"<{BLOCK}"), read.count(f"</{BLOCK}>")) == (1, 1)
    read.encode()


@given(st.text())
def test_the_whole_body_comes_where_no_value_is_named(said: str) -> None:
    told = filled("Look.", {"said": said})
    assert len(told.data) < MOST_DATA + 200


@pytest.mark.parametrize(
    "path", ["a.b", "a.9", "list.3", "list.x", "none.a", "a.b.c.d", "list.00000000001"]
)
def test_what_is_missing_is_told(path: str) -> None:
    told = filled(f"{{{{{path}}}}}", {"a": "text", "list": [1, 2], "none": None})
    assert f"⟨{path}⟩ is missing in this call" in told.data


def test_braces_that_are_no_placeholder_are_found() -> None:
    assert unclear_in("{{a}} and {{ b.c }}") == ""
    assert unclear_in("{{a | upper}}").startswith("{{a | upper}}")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 60_000, b"9" * 60_000])
def test_other_bodies_are_no_json(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_json(body)


@pytest.mark.parametrize("kind", ProofKind)
@given(st.binary())
def test_a_proof_counts_for_its_content_and_secret_alone(kind: ProofKind, body: bytes) -> None:
    hook = a_hook(kind)
    headers = proof_headers(hook, body, NOW)
    assert proven(hook, headers, body, NOW)
    assert not proven(replace(hook, secret=f"{SECRET}!"), headers, body, NOW)
    assert not proven(hook, {}, body, NOW)
    if kind is not ProofKind.BEARER:
        assert not proven(hook, headers, body + b"x", NOW)


@given(st.dictionaries(st.sampled_from(["authorization", "x-steward-signature"]), st.text()))
def test_no_header_breaks_the_check(headers: dict[str, str]) -> None:
    for kind in ProofKind:
        assert not proven(a_hook(kind), headers, b"{}", NOW)
        may_be_proven(a_hook(kind), headers, NOW)


@pytest.mark.parametrize("kind", ProofKind)
@given(st.binary())
def test_whatever_is_proven_may_be_proven_by_its_head(kind: ProofKind, body: bytes) -> None:
    hook = a_hook(kind)
    assert may_be_proven(hook, proof_headers(hook, body, NOW), NOW)
    assert not may_be_proven(hook, {}, NOW)


@pytest.mark.parametrize("kind", [ProofKind.HMAC, ProofKind.STAMPED])
@given(st.binary())
def test_a_proof_for_one_purpose_or_hook_is_none_for_another(kind: ProofKind, body: bytes) -> None:
    hook = a_hook(kind)
    other = replace(hook, name="other")
    call, status = (proof_headers(hook, body, NOW, purpose) for purpose in Purpose)
    assert proven(hook, status, body, NOW, Purpose.STATUS)
    assert not proven(hook, status, body, NOW)
    assert not proven(hook, call, body, NOW, Purpose.STATUS)
    assert not proven(other, status, body, NOW, Purpose.STATUS)


def test_a_seal_is_of_the_signature_alone() -> None:
    hook = a_hook(ProofKind.HMAC)
    headers = proof_headers(hook, b"{}", NOW)
    seal = seal_of(hook, headers, b"{}")
    assert seal_of(replace(hook, name="other"), headers | {"idempotency-key": "k"}, b"{}") == seal
    assert seal_of(hook, headers, b"{ }") != seal
    assert seal_of(replace(hook, secret=f"{SECRET}!"), headers, b"{}") != seal
    assert seal_of(a_hook(ProofKind.BEARER), {}, b"{}") == ""


def test_a_time_counts_for_five_minutes() -> None:
    hook = a_hook(ProofKind.STAMPED)
    headers = proof_headers(hook, b"{}", NOW)
    near, far = timedelta(seconds=STAMP_SECONDS), timedelta(seconds=STAMP_SECONDS + 1)
    assert proven(hook, headers, b"{}", NOW + near)
    assert proven(hook, headers, b"{}", NOW - near)
    assert not proven(hook, headers, b"{}", NOW + far)
    assert not proven(hook, headers, b"{}", NOW - far)


def test_a_call_with_a_time_is_known_again_whatever_becomes_of_its_headers() -> None:
    hook = a_hook(ProofKind.STAMPED)
    headers = proof_headers(hook, b"{}", NOW)
    known = id_of(hook, headers, b"{}")
    signed = headers[hook.header]
    for other in (f" {signed} ", f"{signed},v0=x", f"v0=x, {signed}"):
        assert proven(hook, {hook.header: other}, b"{}", NOW)
        assert id_of(hook, {hook.header: other, "idempotency-key": "k"}, b"{}") == known
    later = proof_headers(hook, b"{}", NOW + timedelta(seconds=1))
    assert id_of(hook, later, b"{}") != known != id_of(hook, headers, b"{ }")
    assert id_of(replace(hook, name="other"), headers, b"{}") != known
    assert id_of(a_hook(ProofKind.HMAC), headers, b"{}") is None


def test_only_a_bearer_token_of_a_set_secret_counts() -> None:
    hook = a_hook(ProofKind.BEARER)
    assert proven(hook, {"authorization": f"bearer  {SECRET} "}, b"", NOW)
    assert not proven(hook, {"authorization": f"Basic {SECRET}"}, b"", NOW)
    assert not proven(replace(hook, secret=""), {"authorization": "Bearer "}, b"", NOW)


@pytest.mark.parametrize("kind", ProofKind)
@pytest.mark.parametrize("purpose", Purpose)
def test_proofs_are_compared_in_constant_time_alone(
    kind: ProofKind, purpose: Purpose, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = a_hook(kind)
    headers = proof_headers(hook, b"{}", NOW, purpose)
    assert proven(hook, headers, b"{}", NOW, purpose)
    monkeypatch.setattr(hmac, "compare_digest", lambda _, __: False)
    assert not proven(hook, headers, b"{}", NOW, purpose)
