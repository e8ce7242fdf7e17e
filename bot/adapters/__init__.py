"""The outside world behind the ports; one folder a technology, strangers to one another."""
