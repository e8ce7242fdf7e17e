"""Searches the web by a service that the operator names."""
