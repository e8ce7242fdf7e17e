"""A whole channel in a folder of its own: a platform in memory, its port and its form."""
