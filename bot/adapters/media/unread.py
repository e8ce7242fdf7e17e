"""The one fault of reading."""


class Unread(Exception):
    """A file that gives nothing to show; the text ends a sentence that begins with its name."""
