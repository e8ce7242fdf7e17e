"""The program with a twentieth of the pauses that Discord asks for, beside a stand-in as brisk."""

from bot.__main__ import main
from bot.adapters.discord import shard, silence
from bot.adapters.platforms import outage

PACE = 1 / 20


def start() -> None:
    outage._FIRST_PAUSE *= PACE
    silence._BETWEEN_SESSIONS *= PACE
    shortest, longest = shard._ANEW_SECONDS
    shard._ANEW_SECONDS = (shortest * PACE, longest * PACE)
    main()


if __name__ == "__main__":
    start()
