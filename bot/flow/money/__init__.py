"""Money: what calls cost, budgets that refuse them, and the words about both."""
