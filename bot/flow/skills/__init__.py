"""Skills in turns: the one at work, and how one hands over to another."""
