"""One fake for every port: in memory, strict, and steered by the test."""
