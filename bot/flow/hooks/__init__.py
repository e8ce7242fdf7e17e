"""Calls of other programs: each is checked, kept, and carried out by a turn."""
