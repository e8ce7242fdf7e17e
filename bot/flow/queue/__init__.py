"""A message waits its turn: a chat does one thing at a time."""
