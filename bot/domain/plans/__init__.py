"""Plans: steps that are approved as a whole, and plans that are made again."""
