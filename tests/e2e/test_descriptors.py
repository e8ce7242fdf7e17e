"""A process that has no file descriptor left waits, and goes on by itself when there is one."""

import resource

import pytest

from tests.e2e.first_answer import answered_once
from tests.e2e.steward import Steward
from tests.standins.messages_api import calls, text, tool

pytestmark = pytest.mark.flows_own("descriptors are the process's own")


async def test_without_descriptors_nothing_is_lost_and_it_goes_on_by_itself(
    steward: Steward,
) -> None:
    (steward.workspace / "a.md").write_text("hello")
    process = await answered_once(steward)
    before = process.rlimit(resource.RLIMIT_NOFILE)
    # Not one more than it has: what it keeps open works on.
    process.rlimit(resource.RLIMIT_NOFILE, (process.num_fds(), before[1]))
    steward.script(calls(tool("read_file", {"path": "a.md"})), text("It says hello."))
    steward.say("Read a.md")
    stored = "SELECT count(*) FROM inbox WHERE state IN ('waiting', 'taken')"
    await steward.eventually(lambda: steward.records.rows(stored) == [(2,)])
    process.rlimit(resource.RLIMIT_NOFILE, before)
    await steward.sees("It says hello.")
    await steward.recorded()
    assert steward.running
    assert len(steward.showing("It says hello.")) == 1
