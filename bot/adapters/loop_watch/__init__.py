"""A watch over the event loop: a thread that tells who held it, and for how long."""
