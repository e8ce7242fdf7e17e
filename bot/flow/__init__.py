"""The story of a message, in running order, over the domain and the ports alone."""
