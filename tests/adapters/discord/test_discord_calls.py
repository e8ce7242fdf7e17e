"""Messages about tool calls on Discord: small lines, and a file with what tools were given."""

import pytest

from bot.adapters.discord.cutting import LONGEST, units
from bot.adapters.discord.pieces import split_content
from bot.domain.talk.message import CallBlock, Outbound, OutboundKind, Plain
from tests.e2e.platforms import drawn

HOSTILE = (
    "@everyone <@42> <#1> https://evil.example [x](https://evil.example)",
    "||x|| **y** _z_ > q",
    "```\nz\n``` ` ``",
    "\u200b\u202e\x00",
    "Output:\nInput:",
)


def body_of(*blocks: CallBlock) -> dict[str, object]:
    head = Plain("Helper: `x`", style="aside")
    (piece,) = split_content(Outbound(OutboundKind.CALLS, (head, *blocks), silent=True))
    return dict(piece.body)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_texts_are_in_the_file_alone_and_indented_below_their_labels(text: str) -> None:
    body = body_of(CallBlock("✓ `look x`, 3 s", text, "told"))
    assert drawn(str(body["text"])) == "Helper: x\n✓ look x, 3 s"
    assert str(body["text"]).startswith("-# Helper: `x`\n-# ✓ `look x`")
    file = body["file"]
    assert isinstance(file, dict)
    lines = str(file["text"]).split("\n")
    labels = [line for line in lines if line and not line.startswith("    ")]
    assert labels == ["✓ look x, 3 s", "Input:", "Output:"]
    assert body["silent"] is True


def test_many_lines_fit_one_message() -> None:
    body = body_of(*(CallBlock(f"✓ `look {'n' * 110} {n}`", "i", "o") for n in range(20)))
    assert units(str(body["text"])) <= LONGEST
    assert "more lines, see the file" in str(body["text"])


def test_a_call_without_texts_has_no_file() -> None:
    assert "file" not in body_of(CallBlock("✓ `look`"))
