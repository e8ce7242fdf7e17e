"""What people sent becomes one message that a model can read."""
