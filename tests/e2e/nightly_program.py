"""The program whose nights come as a test sets the clock, and which bites off two rows at once."""

from bot.adapters.sql import retention
from bot.flow.upkeep import nights
from tests.e2e.clocked_program import start

if __name__ == "__main__":
    retention.AT_ONCE = 2
    nights.LOOK_SECONDS = 0.1
    start()
