"""The commands that do one thing and end: a question, a talk, memory, feedback, hooks, a link."""
