"""What the stand-in has answered so far, as far as later requests are judged by it."""

from collections.abc import Iterator

from tests.standins.messages_api.rules.calls import open_loop
from tests.standins.messages_api.rules.shapes import BLOCK_SHAPES
from tests.standins.messages_api.thinking_binding import THINKING_KINDS, signature_of
from tests.standins.messages_api.wire import Json, Turn, canonical, unmarked


class Issued:
    """Remembers paused contents, blocks of unknown types, and each call's thinking blocks."""

    def __init__(self) -> None:
        self._paused: set[str] = set()
        self._unknown: set[str] = set()
        self._thinking_by_call: dict[tuple[str, str], list[Json]] = {}

    def remember(self, model: str, content: list[Json], stop_reason: str) -> None:
        """Keep what a reply's later return is compared with."""
        if stop_reason == "pause_turn":
            self._paused.add(_text(content))
        thinking = [block for block in content if block["type"] in THINKING_KINDS]
        for block in content:
            if block["type"] == "tool_use":
                self._thinking_by_call[model, block["id"]] = thinking
            elif block["type"] not in BLOCK_SHAPES:
                self._unknown.add(canonical(unmarked(block)))

    def is_unknown_block(self, block: object) -> bool:
        """Say whether this block, of a type no rule knows, was answered exactly so."""
        return isinstance(block, dict) and canonical(unmarked(block)) in self._unknown

    def is_paused(self, turn: Turn) -> bool:
        """Say whether an assistant's turn ends in exactly what was answered with pause_turn."""
        blocks = [placed.block for placed in turn.blocks]
        return any(_text(blocks[start:]) in self._paused for start in range(len(blocks) or 1))

    def alteration_faults(self, model: str, turns: list[Turn]) -> Iterator[str]:
        """Yield that the running tool loop's thinking is not as it was answered.

        Without any thinking earlier in the conversation its first blocks may be left out.
        """
        loop = open_loop(turns)
        if loop is None:
            return
        expected = self._thinking_of(model, loop)
        present = [placed.block for placed in loop.blocks if placed.kind in THINKING_KINDS]
        if present == expected or expected is None:
            return
        earlier = any(
            placed.kind in THINKING_KINDS
            for turn in turns[: turns.index(loop)]
            for placed in turn.blocks
        )
        if earlier or present != expected[len(expected) - len(present) :]:
            first = next((p for p in loop.blocks if p.kind in THINKING_KINDS), loop.blocks[0])
            yield (
                f"{first.path}: `thinking` or `redacted_thinking` blocks in the latest assistant "
                "message cannot be modified. These blocks must remain as they were in the "
                "original response."
            )

    def _thinking_of(self, model: str, turn: Turn) -> list[Json] | None:
        expected: list[Json] = []
        for placed in turn.blocks:
            if placed.kind != "tool_use":
                continue
            thinking = self._thinking_by_call.get((model, placed.block["id"]))
            if thinking is None:
                return None
            known = {signature_of(block) for block in expected}
            expected += [block for block in thinking if signature_of(block) not in known]
        return expected


def _text(content: list[Json]) -> str:
    return canonical([unmarked(block) for block in content])
