"""Cards: a call waits for a person's decision, and the desk takes it."""
