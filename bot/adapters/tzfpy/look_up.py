"""A program that prints the time zones at a longitude and a latitude."""

import sys

import tzfpy


def main() -> None:
    longitude, latitude = map(float, sys.argv[1:])
    sys.stdout.write(" ".join(tzfpy.get_tzs(longitude, latitude)))


if __name__ == "__main__":
    main()
