"""What a turn says and does, as one text that grows and loses nothing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.text.growing_text import GrowingText
from bot.domain.tools.deeds import together
from bot.domain.tools.tool import Status, ToolCall, ToolResult
from bot.flow.signs.telling import Telling
from tests.fakes.model import call


def result(of: ToolCall, status: Status = Status.SUCCESS) -> ToolResult:
    return ToolResult(of.id, of.name, status, "")


def read(name: str) -> ToolCall:
    return call(name, "read_file", {"path": name})


def run(command: str) -> ToolCall:
    return call(command, "run_command", {"command": command})


def ran(telling: Telling, *calls: ToolCall, status: Status = Status.SUCCESS) -> None:
    telling.running(calls, 0.0)
    telling.finished([(one, result(one, status)) for one in calls])


def test_words_and_deeds_stand_below_each_other_in_their_order() -> None:
    telling = Telling()
    telling.write(GrowingText("I look"))
    telling.write(GrowingText("I look first."))
    ran(telling, read("a.md"))
    telling.write(GrowingText("Now I know."))
    assert telling.newest(1.0) == "I look first.\n\n✓ Read a.md\n\nNow I know."
    assert telling.whole() == telling.newest(1.0)


def test_deeds_of_one_kind_in_a_row_are_told_together_and_a_long_one_tells_its_time() -> None:
    telling = Telling()
    ran(telling, read("a.md"), read("b.md"))
    ran(telling, read("c.md"))
    telling.running([run("pytest -q")], 10.0)
    assert telling.newest(14.0) == "✓ Read 3 files · ⏳ Run `pytest -q`"
    assert telling.newest(22.4) == "✓ Read 3 files · ⏳ Run `pytest -q`, 12 s"
    telling.finished([(run("pytest -q"), result(run("pytest -q"), Status.FAILED))])
    assert telling.newest(30.0) == "✓ Read 3 files · ✗ Run `pytest -q`"
    assert telling.whole() == "✓ Read 2 files\n\n✓ Read c.md\n\n✗ Run `pytest -q`"


def test_a_deed_is_named_as_its_card_named_it() -> None:
    telling, writes = Telling(), call("w", "write_file", {"path": "a.md", "content": ""})
    telling.running([writes], 0.0, {writes.id: "Create a.md"})
    assert telling.newest(1.0) == "⏳ Create a.md"
    telling.finished([(writes, result(writes))])
    assert telling.whole() == "✓ Create a.md"


def test_a_deed_that_a_rule_allowed_is_told_in_the_words_that_stand_below_the_answer() -> None:
    telling = Telling()
    one, two = (call(n, "write_file", {"path": n, "content": ""}) for n in ("a.md", "b.md"))
    telling.running([one, two], 0.0)
    ruled = "a.md created, as your rule for notes/ allows"
    telling.finished([(one, replace(result(one), ruled=ruled)), (two, result(two))])
    assert telling.whole() == f"✓ {ruled}\n✓ Write b.md"


def test_words_of_a_reply_that_is_tried_again_are_taken_back_and_earlier_ones_stay() -> None:
    telling = Telling()
    telling.write(GrowingText("First."))
    telling.spoken()
    telling.write(GrowingText("Half of a sen"))
    telling.write(GrowingText(""))
    telling.write(GrowingText("Second."))
    assert telling.whole() == "First.\n\nSecond."


def test_a_note_stays_below_until_there_are_words() -> None:
    telling = Telling()
    telling.note("🔎 Looking around…")
    ran(telling, read("a.md"))
    assert telling.newest(0.0) == "✓ Read a.md\n\n🔎 Looking around…"
    telling.write(GrowingText("Well."))
    assert telling.newest(0.0) == "✓ Read a.md\n\nWell."


def test_a_long_telling_shows_its_end() -> None:
    telling = Telling(["old " * 300, "older " * 300, "new"])
    telling.write(GrowingText("newest"))
    assert telling.newest(0.0) == "…\n\nnew\n\nnewest"
    alone = Telling(["x" * 5_000])
    assert alone.newest(0.0) == "…\n\n" + "x" * 1_500


@pytest.mark.parametrize(
    ("tool", "deeds", "told"),
    [
        ("read_file", ["Read a.md"], "Read a.md"),
        ("read_file", ["Read a.md", "Read b.md"], "Read 2 files"),
        ("read_file", ["Read a.md", "Read a.md"], "Read a.md, 2 times"),
        ("read_file", ["Read a.md", "Read b.md", "Read a.md"], "Read 2 files"),
        ("run_command", ["Run `a`", "Run `b`"], "Run 2 commands"),
        ("web__fetch", ["Use fetch of the server web"] * 3, "Use fetch of the server web, 3 times"),
        ("look", ["look a", "look b"], "Use look, 2 times"),
    ],
)
def test_deeds_of_one_tool_are_one_line(tool: str, deeds: list[str], told: str) -> None:
    assert together(tool, deeds) == told


_WORDS = st.text("ab \n", min_size=1, max_size=8).map(lambda words: f"<{words}>")
_STEPS = st.lists(
    st.one_of(_WORDS, st.lists(st.sampled_from("abc"), min_size=1, max_size=3)), max_size=12
)


@given(_STEPS)
def test_what_has_ended_is_never_lost_doubled_or_changed(steps: list[str | list[str]]) -> None:
    """A screen that prints each line once depends on it."""
    telling, before = Telling(), ""
    for step in steps:
        if isinstance(step, str):
            telling.write(GrowingText(step))
            telling.spoken()
        else:
            ran(telling, *(read(name) for name in step))
        whole = telling.whole()
        assert whole.startswith(before)
        before = whole
    words = [step for step in steps if isinstance(step, str)]
    at = 0
    for word in words:
        at = before.index(word, at) + len(word)
    assert before.count("<") == len(words)


def test_what_the_chat_shows_itself_is_told_only_when_it_fails() -> None:
    telling = Telling()
    asks = call("q", "send_message", {"message": "Tea?", "is_question": True})
    telling.write(GrowingText("I ask."))
    ran(telling, asks, read("a.md"))
    assert telling.whole() == telling.newest(1.0) == "I ask.\n\n✓ Read a.md"
    ran(telling, asks)
    assert telling.newest(1.0) == "I ask.\n\n✓ Read a.md"
    ran(telling, asks, status=Status.FAILED)
    assert telling.whole().endswith("✗ Ask you a question")


def test_the_newest_part_of_long_code_is_code_still() -> None:
    telling = Telling(["Words.", "```python\n" + "x = 1\n" * 500 + "```"])
    newest = telling.newest(0.0)
    assert newest.startswith("…\n\n```python\nx = 1\n")
    assert len(newest) < 1_600
