"""The door in the home of a running program: terminals and questions come in by a socket."""
