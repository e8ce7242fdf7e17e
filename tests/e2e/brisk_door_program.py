"""The program with a twentieth of the time that a visitor and its program wait for each other."""

from bot.__main__ import main
from bot.adapters.home_door import caller
from bot.adapters.terminal import seats
from bot.bootstrap import reception

PACE = 1 / 20


def start() -> None:
    caller.RETURN_SECONDS *= PACE
    seats.GRACE_SECONDS *= PACE
    reception.GRACE_SECONDS = seats.GRACE_SECONDS
    main()


if __name__ == "__main__":
    start()
