"""A picture as models take it."""

from typing import Literal

from bot.domain.value import frozen


@frozen
class ImagePart:
    """A picture for models that see; `data` is base64."""

    media_type: str
    data: str
    kind: Literal["image"] = "image"
