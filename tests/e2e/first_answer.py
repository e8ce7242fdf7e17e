"""A program that has answered once, before something happens to its process."""

import psutil

from tests.e2e.steward import Steward
from tests.standins.messages_api import text


async def answered_once(steward: Steward) -> psutil.Process:
    """Starts it, has it say good morning, and returns its process."""
    steward.script(text("Good morning."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("Good morning.")
    await steward.recorded()
    return psutil.Process(steward.pid)
