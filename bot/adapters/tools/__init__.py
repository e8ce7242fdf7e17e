"""The tools a model may call: clock, files, commands and messages."""
