"""Templates of plans as Markdown files."""
