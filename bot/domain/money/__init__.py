"""Models, their prices and what may be spent."""
