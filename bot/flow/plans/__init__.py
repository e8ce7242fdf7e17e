"""Plans: the steps a turn records and carries out, their cards, and the desk that decides."""
