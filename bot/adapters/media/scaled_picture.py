"""Makes pictures fit for models: upright, small, and without other data."""

import base64
import io
import warnings

from PIL import Image, ImageOps, UnidentifiedImageError

from bot.adapters.media.found import FoundPicture
from bot.adapters.media.unread import Unread

LONGEST_SIDE = 1568
MOST_BYTES = 1_000_000
MOST_PIXELS = 64_000_000
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
_FEW_COLOURS = 4096
_QUALITIES = (85, 70, 50, 30)
_DAMAGED = "is a damaged picture"


def scaled(data: bytes) -> FoundPicture:
    """Returns a picture, or an animation's first frame, within 1568 pixels a side and 1 MB.

    Raises Unread.
    """
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The library only warns about pictures of up to twice its limit.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
                media_type, encoded = _encoded(_upright(image))
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        million = MOST_PIXELS // 1_000_000
        raise Unread(f"is a picture of more than {million} million pixels") from None
    except UnidentifiedImageError:
        raise Unread(_DAMAGED) from None
    except (ArithmeticError, EOFError, LookupError, OSError, SyntaxError, ValueError):
        raise Unread(_DAMAGED) from None
    return FoundPicture(media_type, base64.b64encode(encoded).decode())


def _upright(image: Image.Image) -> Image.Image:
    """Returns the pixels, reduced and turned as the camera was held; drops all other data."""
    image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
    orientation = image.getexif().get(0x0112)
    mode = "RGBA" if image.has_transparency_data else "RGB"
    plain = image if image.mode == mode else image.convert(mode)
    plain.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    if isinstance(orientation, int) and 2 <= orientation <= 8:
        plain.getexif()[0x0112] = orientation
        plain = ImageOps.exif_transpose(plain)
    return plain


def _encoded(image: Image.Image) -> tuple[str, bytes]:
    """Encodes drawings and screenshots without loss where they fit, other pictures as JPEG."""
    if image.mode == "RGBA" or image.getcolors(_FEW_COLOURS):
        lossless = _saved(image, "PNG")
        if len(lossless) <= MOST_BYTES:
            return "image/png", lossless
    opaque = _on_white(image)
    tried = (_saved(opaque, "JPEG", quality=quality) for quality in _QUALITIES)
    fitting = next((encoded for encoded in tried if len(encoded) <= MOST_BYTES), None)
    if fitting is None:
        raise Unread("is a picture that cannot be made small enough")
    return "image/jpeg", fitting


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode == "RGB":
        return image
    white = Image.new("RGB", image.size, "white")
    white.paste(image, mask=image.getchannel("A"))
    return white


def _saved(image: Image.Image, form: str, **options: int) -> bytes:
    into = io.BytesIO()
    image.save(into, form, exif=b"", **options)
    return into.getvalue()
