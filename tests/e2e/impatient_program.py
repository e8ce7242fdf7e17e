"""The program that reads a page of missed messages alone, so that few are too many already."""

from bot.__main__ import main
from bot.adapters.discord import missed

if __name__ == "__main__":
    missed.MOST_PAGES = 1
    main()
