"""The composition root: the one room that knows every adapter."""
