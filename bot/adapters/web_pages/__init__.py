"""Fetches pages of the web, from public addresses alone."""
