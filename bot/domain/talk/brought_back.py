"""Words about work that a backup had: it is laid down, since it may have been done since."""

BROUGHT_BACK = "a backup was brought back"
"""The reason why a turn, a card, a message or a run of then ended."""

HELD = "held: it may have been sent since the backup"
"""The reason why a message of then was given up; an owner may have it sent."""

ALL_READ = "brought back"
"""Stands for a stream of every platform; its position is the time at which a backup came back."""
