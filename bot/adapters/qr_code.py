"""Draws QR codes with the characters of a terminal."""

import io

_BORDER = 2
_BRIGHT_ON_BLACK, _RESET = "\x1b[97;40m", "\x1b[0m"


def drawn(text: str, columns: int, *, colour: bool) -> str:
    """Returns the lines of a code that is at most so wide; nothing when it would be wider.

    Bright blocks are the light parts. Without colour the terminal is taken to be dark.
    """
    # Only a terminal that shows a link pays for loading it.
    import segno

    code = segno.make(text, error="l", micro=False)
    width, _ = code.symbol_size(border=_BORDER)
    if width > columns:
        return ""
    lines = io.StringIO()
    code.terminal(lines, border=_BORDER, compact=True)
    rows = lines.getvalue().splitlines()
    return "\n".join(f"{_BRIGHT_ON_BLACK}{row}{_RESET}" if colour else row for row in rows)
