"""One rule for text of unknown origin: what no database, provider and platform takes goes out."""


def storable(text: str) -> str:
    """Returns the text with surrogate pairs joined; NUL and lone surrogates become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
