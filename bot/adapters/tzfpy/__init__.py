"""The time zone of a place on the map, looked up by tzfpy."""
