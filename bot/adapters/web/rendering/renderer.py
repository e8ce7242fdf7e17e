"""Makes HTML from templates; every value is escaped."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


class Renderer:
    """Knows the templates of the page."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=PackageLoader("bot.adapters.web", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
        )

    def page(self, template: str, **values: Any) -> str:
        """Returns the HTML of a template with these values."""
        return self._environment.get_template(template).render(values)
