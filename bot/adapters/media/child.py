"""The process that reads one file: takes bytes from its input and prints one line of JSON.

`media_reader` starts it. It limits itself before it looks at a byte, because strangers make the
files, and parsers have faults. An unforeseen fault ends it with code 1.
"""

import json
import sys
from collections.abc import Callable
from functools import partial

from bot.adapters.media.found import FoundPicture, FoundText
from bot.adapters.media.kind import Kind
from bot.adapters.media.unread import Unread
from bot.adapters.process_bounds import bound


def main(kind: str, memory: int, seconds: int, *about: str) -> None:
    """Reads the input as this kind, within bytes of memory and seconds of processor time.

    Of a web page, `about` tells the address and the encoding that its server named.
    """
    read = _reader(Kind(kind), *about)
    bound(memory, seconds)
    try:
        found = read(sys.stdin.buffer.read())
        answer = found._asdict()
    except Unread as fault:
        answer = {"why": str(fault)}
    except MemoryError:
        answer = {"why": f"is {Kind(kind).one} that needs too much memory to be read"}
    json.dump(answer, sys.stdout)


def _reader(kind: Kind, *about: str) -> Callable[[bytes], FoundText | FoundPicture]:
    """Loads the library of this kind alone; all of them take longer than most readings."""
    match kind:
        case Kind.TEXT:
            from bot.adapters.media.plain_text import text_of

            return text_of
        case Kind.PDF:
            from bot.adapters.media.pdf_text import text_of_pdf

            return text_of_pdf
        case Kind.PICTURE:
            from bot.adapters.media.scaled_picture import scaled

            return scaled
        case Kind.MAIL:
            from bot.adapters.media.mail_text import text_of_mail

            return text_of_mail
        case Kind.PAGE:
            from bot.adapters.media.page_text import text_of_page

            address, charset = about
            return partial(text_of_page, address=address, charset=charset)
        case Kind.WORD | Kind.EXCEL | Kind.POWERPOINT | Kind.ZIP:
            from bot.adapters.media.archive_text import text_of_archive

            return partial(text_of_archive, kind=kind)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
