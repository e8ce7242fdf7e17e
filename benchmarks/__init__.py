"""Measures the costs of the program, in its own process beside the bare SDKs."""
