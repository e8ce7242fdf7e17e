"""Tools, their calls and the words for them."""
