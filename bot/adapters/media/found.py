"""Values that the process which reads a file prints.

They are not the values of the port: with those the process would load all that a transcript is
made of, which takes longer than most readings.
"""

from typing import NamedTuple


class FoundText(NamedTuple):
    """The words of a document of some kind; `note` names the omitted parts in one sentence."""

    text: str
    note: str = ""
    kind: str = "text"


class FoundPicture(NamedTuple):
    """A picture that fits for models; `data` is base64."""

    media_type: str
    data: str
