"""The outside world behind the ports: one folder for each technology, none imports another."""
