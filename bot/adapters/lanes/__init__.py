"""Lanes: one asyncio task for each chat that has work."""
