"""Skills in turns: the active one, and how one hands over to another."""
