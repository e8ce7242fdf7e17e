"""Steward: an assistant that asks before it acts and never loses a turn."""
