"""The story of an answer: what the turn saw, what it did, and who or what allowed it."""
