"""Charts that are not drawn."""

from bot.domain.talk.message import FileRef
from bot.ports.charts import Chart


class FakeCharts:
    """Keeps every chart by its key; `fails` makes drawing impossible."""

    def __init__(self) -> None:
        self.drawn: dict[str, Chart] = {}
        self.fails = False

    async def draw(self, key: str, chart: Chart) -> FileRef | None:
        if self.fails:
            return None
        self.drawn[key] = chart
        return FileRef("", "usage.png", text=chart.title)
