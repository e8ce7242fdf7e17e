"""The innermost ring, frozen values and rules: no I/O, no async, standard library only."""
