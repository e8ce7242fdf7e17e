"""Reads mails that were saved as files: who wrote what to whom, and the names of what hangs on."""

from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from html.parser import HTMLParser

from bot.adapters.media.cut_text import CutText
from bot.adapters.media.found import FoundText
from bot.adapters.media.kind import Kind
from bot.adapters.media.unread import Unread
from bot.domain.text.visible_text import shown_name, size

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_LONGEST_HEADER = 1_000
_MOST_ATTACHMENTS = 100
_MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def text_of_mail(data: bytes) -> FoundText:
    """Returns the headers that people read, the words, and the names of the attachments."""
    text = CutText()
    try:
        mail = message_from_bytes(data, policy=policy.default)
        for line in [*_headers(mail), "", *_body(mail).splitlines(), "", *_attached(mail)]:
            if not text.add(line):
                break
    except _MALFORMED:
        raise Unread("is a damaged mail") from None
    return FoundText(text.text, ", ".join(text.notes), Kind.MAIL)


def _headers(mail: Message) -> list[str]:
    return [
        f"{name}: {' '.join(str(mail[name]).split())[:_LONGEST_HEADER]}"
        for name in _SHOWN
        if mail[name] is not None
    ]


def _body(mail: EmailMessage) -> str:
    part = mail.get_body(("plain", "html"))
    if part is None:
        return ""
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    try:
        words = raw.decode(part.get_content_charset("utf-8"), "replace")
    except LookupError:
        words = raw.decode("utf-8", "replace")
    return _Words.of(words) if part.get_content_type() == "text/html" else words


def _attached(mail: EmailMessage) -> list[str]:
    parts = list(mail.iter_attachments()) if mail.is_multipart() else []
    lines = [_attachment(part) for part in parts[:_MOST_ATTACHMENTS]]
    more = len(parts) - len(lines)
    return [*lines, f"[{more} more attachments]"] if more > 0 else lines


def _attachment(part: Message) -> str:
    payload = part.get_payload(decode=True)
    length = f", {size(len(payload))}" if isinstance(payload, bytes) else ""
    name = shown_name(part.get_filename() or "without a name")[:_LONGEST_HEADER]
    return f"[attachment “{name}”, {part.get_content_type()}{length}; not read]"


class _Words(HTMLParser):
    """Collects the words of a page, without scripts and styles."""

    _BLOCKS = frozenset({"p", "br", "div", "tr", "li", "h1", "h2", "h3", "table", "blockquote"})
    _SILENT = frozenset({"script", "style", "head", "title"})

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[str] = []
        self._silent = 0

    @classmethod
    def of(cls, page: str) -> str:
        words = cls()
        words.feed(page)
        words.close()
        lines = (" ".join(line.split()) for line in "".join(words._parts).splitlines())
        return "\n".join(lines)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in self._SILENT
        self._parts.append("\n" if tag in self._BLOCKS else "")

    def handle_endtag(self, tag: str) -> None:
        self._silent = max(0, self._silent - (tag in self._SILENT))
        self._parts.append("\n" if tag in self._BLOCKS else "")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._parts.append(data)
