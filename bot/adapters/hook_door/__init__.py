"""The HTTP door of hooks: calls of other programs in, the status of their runs out."""
