"""The fragments that people sent become one message that a model can read."""
