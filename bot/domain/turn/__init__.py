"""A turn: its row, its log, its mandate and its outcome."""
