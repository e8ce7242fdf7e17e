"""One rule for text of unknown origin: what no database, provider and platform takes goes out."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Mapping[str, Any])


def storable(text: str) -> str:
    """Returns the text with surrogate pairs joined; NUL and lone surrogates become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def storable_fields(fields: F) -> F:
    """Returns the fields of an object, rewritten only when their text has to be."""
    text = json.dumps(fields, ensure_ascii=False)
    whole = storable(text)
    return fields if whole == text else json.loads(whole)
