"""The ways of a platform that all have: JSON to be read, silence, files to be sent."""
