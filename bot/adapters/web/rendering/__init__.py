"""Makes HTML of what the pages show."""
