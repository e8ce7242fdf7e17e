"""Chroma's index of meaning, and its own embedder, in child processes."""
