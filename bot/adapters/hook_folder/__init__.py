"""Hooks as Markdown files, watched for changes."""
