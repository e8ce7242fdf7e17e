"""The port for operators: is the program alive, is it ready, and its numbers for Prometheus."""
