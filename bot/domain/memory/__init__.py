"""Memory: passages and notes, and how they are found again."""
