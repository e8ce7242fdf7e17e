"""Removes old things at night, in small bites, and tells the sizes of the store."""
