"""The HTML that a text may become, read back by a parser: all that is not named here is a fault."""

import re
from html.parser import HTMLParser

_AUTO = {"dir": "auto"}
_LINK = re.compile(r"(?:https?://[^\s]+|mailto:[^\s]+)", re.IGNORECASE)

_ALLOWED: dict[str, dict[str, str]] = {
    "p": {"dir": "auto"},
    "h3": {"dir": "auto"},
    "h4": {"dir": "auto"},
    "h5": {"dir": "auto"},
    "h6": {"dir": "auto"},
    "ul": {},
    "ol": {"start": r"\d+"},
    "li": {"dir": "auto"},
    "blockquote": {"dir": "auto"},
    "strong": {},
    "em": {},
    "s": {},
    "br": {},
    "hr": {},
    "table": {},
    "thead": {},
    "tbody": {},
    "tr": {},
    "th": {"dir": "auto", "scope": "col", "class": "end|middle"},
    "td": {"dir": "auto", "class": "end|middle"},
    "a": {"href": _LINK.pattern, "rel": "noopener noreferrer", "target": "_blank", "title": ".*"},
    "div": {"class": "wide|source", "tabindex": "0", "role": "group", "aria-label": "Table"},
    "header": {},
    "span": {"class": "[ksc]"},
    "button": {"class": "quiet scripted", "type": "button", "data-copy": ""},
    "svg": {"class": "icon", "aria-hidden": "true"},
    "use": {"href": "#i-copy"},
    "pre": {"tabindex": "0", "role": "group", "aria-label": "Code(, .*)?|Text"},
    "code": {},
}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.skeleton: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.skeleton.append(f"<{tag} {' '.join(sorted(name for name, _ in attrs))}>")
        allowed = _ALLOWED.get(tag)
        if allowed is None:
            self.faults.append(f"<{tag}>")
            return
        for name, value in attrs:
            pattern = allowed.get(name)
            if pattern is None or not re.fullmatch(pattern, value or "", re.IGNORECASE | re.DOTALL):
                self.faults.append(f"<{tag} {name}={value!r}>")
            if name == "href":
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        self.skeleton.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.skeleton.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"<![{data}]>")


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


def faults_of(html: str) -> list[str]:
    """Returns what is in the HTML and may not be there."""
    return _read(html).faults


def skeleton_of(html: str) -> list[str]:
    """Returns the tags and the names of their attributes, without any text or value."""
    return _read(html).skeleton


def links_of(html: str) -> list[str]:
    """Returns the targets of all links."""
    return [one for one in _read(html).links if one != "#i-copy"]


def text_of(html: str) -> str:
    """Returns the words that a person sees."""
    return "".join(_read(html).text)


IN_BROWSER = """
const [texts, allowed] = arguments;
const told = [];
for (const html of texts) {
  const page = new DOMParser().parseFromString(`<!doctype html><body>${html}</body>`, "text/html");
  for (const e of page.querySelectorAll("head > *, body *")) {
    const may = allowed[e.localName];
    if (!may) told.push([html, e.localName]);
    else for (const a of e.attributes)
      if (!(a.name in may) || !new RegExp(`^(?:${may[a.name]})$`, "is").test(a.value))
        told.push([html, e.localName, a.name, a.value]);
  }
}
return told;
"""
"""The same, told by a browser's own parser."""


def allowed_in_browser() -> dict[str, dict[str, str]]:
    """Returns what is allowed, for the script above."""
    return _ALLOWED
