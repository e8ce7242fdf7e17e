"""The HTTP server of the program: one for each port, shared by the doors that want it."""
