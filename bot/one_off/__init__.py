"""The commands that do one thing and end: a question, a talk, the memory, feedback, hooks."""
