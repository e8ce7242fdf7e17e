"""The index of meaning in Chroma, and Chroma's own embedder; both run in a child process."""
