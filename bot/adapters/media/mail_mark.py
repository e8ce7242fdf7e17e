"""Recognises mails that were saved as files."""

import re

_HEAD = 16_384
_NAMED = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){3,}\r?\n")
_TELLING = re.compile(rb"(?mi)^(?:from|received|return-path):")
_ALSO_TELLING = re.compile(rb"(?mi)^(?:date|message-id|mime-version|received):")


def is_mail(data: bytes) -> bool:
    """Tells by its first lines if a text is a mail with its headers."""
    found = _NAMED.match(data[:_HEAD].lstrip())
    head = b"" if found is None else found[0]
    return bool(_TELLING.search(head) and _ALSO_TELLING.search(head))
