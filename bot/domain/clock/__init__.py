"""Times, their words and their zones."""
