"""Errands: a turn gives tasks to turns of their own, parks, and takes their results."""
