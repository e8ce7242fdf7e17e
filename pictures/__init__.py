"""Makes the pictures of the README and the docs from sessions of the running program."""
