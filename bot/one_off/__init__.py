"""The commands that do one thing and end: a question, the memory, feedback, hooks."""
