"""The only fault of reading."""


class Unread(Exception):
    """A file gives nothing to show; the text ends a sentence that begins with the file's name."""
