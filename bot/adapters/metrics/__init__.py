"""What an operator sees from outside: is it alive, is it ready, and its numbers for Prometheus."""
