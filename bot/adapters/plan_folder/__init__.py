"""Ready-made plans as Markdown files."""
