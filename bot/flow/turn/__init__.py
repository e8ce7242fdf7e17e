"""One turn, from its opening to its settled end: the loop, its gate, its tools."""
