"""Ways on: the buttons below the end of a turn, and the turns that they start."""
