"""The needs of the flow from the outside world, in the flow's words."""
