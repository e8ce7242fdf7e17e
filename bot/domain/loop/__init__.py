"""The loop of a turn as decisions: from its state to its next step, without any I/O."""
