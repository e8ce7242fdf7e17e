"""Calls of a model, what stands around them, and how a long conversation is shortened."""
