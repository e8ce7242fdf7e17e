"""The only fault of reading, and the faults of libraries that it stands for."""

MALFORMED_OFFICE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""Errors that a damaged Office document raises in any library, beside the library's own.

Its values of a wrong type or size reach code that never expected them.
"""


class Unread(Exception):
    """A file gives nothing to show; the text ends a sentence that begins with the file's name."""
