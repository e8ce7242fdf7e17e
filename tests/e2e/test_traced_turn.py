"""What one turn of the program enters and asks of its database: counts, which no machine changes."""

import json
import signal
from collections import Counter
from typing import Any

from tests.e2e.steward import Steward
from tests.e2e.traced_program import COUNTED
from tests.standins.messages_api import Reply, calls, text, tool


async def traced(steward: Steward, *script: Reply) -> Any:
    steward.module = "tests.e2e.traced_program"
    steward.script(text("Warm."), text("Warmer."), *script)
    await steward.start()
    steward.say("Hello")
    await steward.sees("Warm.")
    steward.say("Hello again")
    await steward.sees("Warmer.")
    await steward.recorded()
    steward.tell(signal.SIGUSR1)
    steward.say("And now?")
    await steward.sees("Traced.")
    await steward.recorded()
    steward.tell(signal.SIGUSR2)
    file = steward.home / COUNTED
    await steward.eventually(file.exists)
    return json.loads(file.read_text())


async def test_a_plain_message(steward: Steward) -> None:
    found = await traced(steward, text("Traced."))
    files = found["files"]
    print(len(set(files)), len(files) - 1)
    for f, n in sorted(Counter(files).items()):
        print(f, n)
    print(len(found["statements"]), found["ends"])
    print("\n".join(s.replace("\n", " ")[:150] for s in found["statements"]))
    assert 0


async def test_two_rounds(steward: Steward) -> None:
    found = await traced(steward, calls(tool("list_folder", {"path": "."})), text("Traced."))
    print(len(found["statements"]), found["ends"])
    print("\n".join(s.replace("\n", " ")[:400] for s in found["statements"]))
    assert 0
