"""A picture as models take it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture for models that see; `data` is base64."""

    media_type: str
    data: str
    kind: Literal["image"] = "image"
