"""A platform tells of the bot itself: added, removed, moved, promoted."""
