"""A model that needs no network and says that it is a demo."""
