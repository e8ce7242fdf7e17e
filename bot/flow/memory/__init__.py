"""Settled answers are remembered, indexed, and told to the model again where they fit."""
