"""The log of a chat, the row of its turn, and the view of both that a model reads."""
