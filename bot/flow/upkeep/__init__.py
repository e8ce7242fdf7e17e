"""What is old is removed at night, in small bites, and the sizes of the store are told."""
