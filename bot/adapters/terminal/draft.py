"""Prints a text that is still being written, line by line as it settles."""

from bot.adapters.terminal.text import Fragments, MarkdownLines

_MOVING = "⏳"
"""A line that begins so is still going to change."""

_TOOLS = (_MOVING, "✓", "✗")
"""The sign that lines of tools begin with."""


class Draft:
    """Takes newer and newer states of a text and returns lines that can be printed for good.

    The last, open line waits, and so do the lines of tools at work. A state that does not go on
    from the one before begins a new text.
    """

    def __init__(self) -> None:
        self._text = ""
        self._printed = 0
        self._markdown = MarkdownLines()

    @property
    def tail(self) -> str:
        """Returns the part that is not printed yet."""
        return self._text[self._printed :]

    @property
    def speaks(self) -> bool:
        """Tells if words are being written, and no tool is running."""
        return self._text != "" and not self._text.rpartition("\n")[2].startswith(_TOOLS)

    def grow(self, text: str) -> Fragments:
        """Takes a newer state; returns the text to print now."""
        # Answers come without white space at their ends.
        text = text.strip()
        if self._text == text or self._text.endswith(f"\n{text}"):
            return []
        ended: Fragments = [] if text.startswith(self._settled()) else self.end()
        self._text = text
        whole = _settled(text).rfind("\n") + 1
        lines, self._printed = text[self._printed : whole], max(whole, self._printed)
        return ended + self._markdown.shown(lines)

    def complete(self, text: str) -> Fragments | None:
        """Returns the rest of a whole answer, or None if the draft was not of this answer."""
        text, settled = text.strip(), self._settled()
        if not settled or not text.startswith(settled):
            return None
        self._text = text
        return self.end()

    def end(self) -> Fragments:
        """Forgets the text; returns its settled part that is not printed yet."""
        rest = self._settled()[self._printed :].rstrip()
        fragments = self._markdown.shown(f"{rest}\n") if rest else []
        self._text, self._printed, self._markdown = "", 0, MarkdownLines()
        return fragments

    def _settled(self) -> str:
        return _settled(self._text)


def _settled(text: str) -> str:
    """Returns the text up to the first line that still changes."""
    lines = text.split("\n")
    still = next((n for n, line in enumerate(lines) if line.startswith(_MOVING)), None)
    return text if still is None else "".join(f"{line}\n" for line in lines[:still])
