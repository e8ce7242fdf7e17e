"""A text that comes in pieces, for readers who need it less often than it grows."""


class GrowingText:
    """Keeps the pieces, and puts them together only when the text is read.

    A text made anew for each piece is copied each time: an answer of five megabytes in five hundred
    pieces would be more than a gigabyte of copies.
    """

    __slots__ = ("_pieces", "_size")

    def __init__(self, text: str = "") -> None:
        self._pieces = [text]
        self._size = len(text)

    def add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._size += len(piece)

    def __len__(self) -> int:
        """Returns the number of characters."""
        return self._size

    def __str__(self) -> str:
        """Returns the whole text so far."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]
