"""Charts as pictures, each drawn in a process of its own."""
