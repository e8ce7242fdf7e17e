"""Signs of life while a turn runs: typing, drafts, reactions."""
