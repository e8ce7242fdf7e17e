"""A step of a plan is foreseen in the light of the steps before it."""

import pytest

from bot.domain.plans.plan import PlanStep
from bot.domain.tools.foresight import unforeseen
from bot.domain.tools.tool import Effect, Preview
from bot.flow.plans.foreseeing import foreseen_after
from tests.domain.logs import call

EDIT = call("edit_file", path="notes/a.txt", old_text="b", new_text="c")
MISSING = unforeseen(EDIT, Effect.WRITE, "there is no such file")


def step(number: int, tool: str, arguments: str) -> PlanStep:
    preview = Preview("Do it", "Do it", Effect.WRITE)
    return PlanStep(number, tool, arguments, "Do it", Effect.WRITE, preview)


def shown(preview: Preview) -> str:
    return "\n".join(block.text for block in preview.blocks)


@pytest.mark.parametrize("path", ["notes/a.txt", "./notes/a.txt", "notes/x/../a.txt"])
def test_a_file_that_an_earlier_step_writes_is_no_fault(path: str) -> None:
    wrote = step(2, "write_file", f'{{"content":"b","path":"{path}"}}')
    told = foreseen_after(EDIT, MISSING, (step(1, "delete_file", '{"path":"z"}'), wrote))
    assert "⚠️" not in shown(told)
    assert "Uses the file as step 2 leaves it." in shown(told)
    assert told.fault == ""


def test_a_command_may_make_it_and_nobody_knows() -> None:
    told = foreseen_after(EDIT, MISSING, (step(1, "run_command", '{"command":"make"}'),))
    assert "⚠️" not in shown(told)
    assert "Step 1 may make this file" in shown(told)


@pytest.mark.parametrize("arguments", ['{"path":"notes/b.txt"}', "[]", "no json", '{"path":3}'])
def test_another_file_leaves_the_warning(arguments: str) -> None:
    told = foreseen_after(EDIT, MISSING, (step(1, "write_file", arguments),))
    assert told == MISSING
    assert "⚠️" in shown(told)


def test_a_call_without_a_fault_stays_as_it_was_foreseen() -> None:
    fine = unforeseen(EDIT, Effect.WRITE)
    wrote = step(1, "write_file", '{"path":"notes/a.txt"}')
    assert foreseen_after(EDIT, fine, (wrote,)) == fine


def test_a_line_end_that_stays_adds_no_line_to_an_edit() -> None:
    edit = call("edit_file", path="a.md", old_text="# Old\n", new_text="# New\n")
    assert shown(unforeseen(edit, Effect.WRITE)) == "-# Old\n+# New"
    gone = call("edit_file", path="a.md", old_text="# Old\n", new_text="")
    assert shown(unforeseen(gone, Effect.WRITE)) == "-# Old"
