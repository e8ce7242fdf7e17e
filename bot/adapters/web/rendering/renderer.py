"""Makes HTML from templates; every value is escaped unless it is HTML that this package made."""

from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.adapters.web.rendering.answer_size import answer_size
from bot.adapters.web.rendering.contents import shown
from bot.adapters.web.rendering.listing import grouped
from bot.adapters.web.rendering.markdown import html_of, unmarked
from bot.adapters.web.rendering.sentences import keys, places, tries
from bot.adapters.web.rendering.static_files import static_url, version
from bot.adapters.web.rendering.times import clock, day, left, machine_time, recent, seconds_left
from bot.adapters.web.rendering.words import words

_LEAST_CACHED = 100
"""Templates that stay compiled: more than there are."""

AT_THE_DOOR = (
    *("base.html", "enter.html", "fault.html"),
    *("parts/icons.html", "parts/keys.html", "parts/note.html"),
)
"""The templates of what anybody sees who is not signed in, and of faults."""


class Renderer:
    """Knows the templates of the page."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=PackageLoader("bot.adapters.web", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=False,
            cache_size=_LEAST_CACHED,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals.update(
            {
                "keys": keys,
                "places": places,
                "static_url": static_url,
                "tries": tries,
                "version": version(),
            }
        )
        self._environment.filters.update(
            {
                "answer_size": answer_size,
                "clock": clock,
                "day": day,
                "grouped": grouped,
                "left": left,
                "machine_time": machine_time,
                "markdown": html_of,
                "quoted": quoted,
                "recent": recent,
                "seconds_left": seconds_left,
                "shown": shown,
                "unmarked": unmarked,
                "words": words,
            }
        )

    def page(self, template: str, **values: Any) -> str:
        """Returns the HTML of a template with these values."""
        return self._environment.get_template(template).render({"frame": None, **values})

    def load(self, *names: str) -> "Renderer":
        """Compiles these templates, or every one: it takes too long for the event loop."""
        for name in names or self._environment.list_templates():
            self._environment.get_template(name)
        return self

    def fragment(self, template: str, **values: Any) -> str:
        """Returns a part of a page, without white space around it."""
        return self.page(template, **values).strip()


def quoted(key: str) -> str:
    """Returns a key as one segment of an address."""
    return quote(key, safe=":")
