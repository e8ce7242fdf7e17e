"""The tools a model may use: files, commands, sending, conversations, time."""
