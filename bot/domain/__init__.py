"""Frozen values and the rules over them; standard library only, no I/O."""
