"""Traces of turns by OpenTelemetry: told from what is stored, and sent to a collector."""
