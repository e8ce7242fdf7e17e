"""Updates come in: each is kept, then brought to its place."""
