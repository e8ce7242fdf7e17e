"""What the flow asks of the outside world, as small protocols in its own words."""
