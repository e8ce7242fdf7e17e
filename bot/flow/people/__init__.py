"""People: how they come in, what they may do, and what the bot knows about them."""
