"""Chroma's index of meaning with its whole vectors, and its own embedder, in child processes."""
