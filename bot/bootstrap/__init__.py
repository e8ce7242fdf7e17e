"""The composition root: makes the adapters as the settings want them, and wires them."""
