"""What the flow needs from the world, in the flow's words."""
