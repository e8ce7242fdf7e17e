"""Charts are drawn in a process of their own, or not at all."""

from pathlib import Path

import pytest
from PIL import Image

from bot.adapters.charts.chart_files import ChartFiles
from bot.domain.money.money import DOLLAR
from bot.domain.talk.message import FileRef
from bot.ports.charts import Chart, Series

DAYS = ("Mon 16", "Tue 17", "Wed 18")
CHART = Chart(
    "Usage of all chats, by model",
    DAYS,
    (
        Series("anthropic/claude-sonnet-5-5", (DOLLAR, 2 * DOLLAR, 0)),
        Series("_$\\frac{1}{0}$ x_1^2 \U0001f600 日本", (0, DOLLAR // 2, DOLLAR // 1_000)),
    ),
    money=True,
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the fonts: the first chart finds them all, which takes longer than drawing."""
    return tmp_path_factory.mktemp("charts") / "cache"


@pytest.mark.parametrize(
    "chart",
    [
        Chart(
            "Tokens", tuple(f"{n:02}" for n in range(25)), (Series("a", (7,) * 25),), money=False
        ),
        Chart("Much", DAYS, tuple(Series(f"{n}", (10**17,) * 3) for n in range(6)), money=True),
    ],
    ids=["tokens", "much"],
)
async def test_a_chart_becomes_a_picture(chart: Chart, tmp_path: Path, cache: Path) -> None:
    picture_of(await ChartFiles(tmp_path / "spool", cache).draw("key", chart))


async def test_the_same_key_replaces_the_picture(tmp_path: Path, cache: Path) -> None:
    charts = ChartFiles(tmp_path / "spool", cache)
    first = await charts.draw("key", Chart("Nothing", DAYS, (), money=True))
    nothing = picture_of(first)
    assert await charts.draw("key", CHART) == first
    assert picture_of(first) != nothing
    assert len(list((tmp_path / "spool").iterdir())) == 1


def picture_of(file: FileRef | None) -> bytes:
    assert file is not None
    with Image.open(file.path) as picture:
        assert picture.format == "PNG"
        assert picture.width > 600
    return Path(file.path).read_bytes()


async def test_a_chart_that_takes_too_long_is_left_out(tmp_path: Path, cache: Path) -> None:
    charts = ChartFiles(tmp_path / "spool", cache, seconds=0.001)
    assert await charts.draw("key", CHART) is None


async def test_a_chart_that_cannot_be_drawn_is_left_out(tmp_path: Path, cache: Path) -> None:
    uneven = Chart("Uneven", DAYS, (Series("a", (1,)),), money=True)
    charts = ChartFiles(tmp_path / "spool", cache)
    assert await charts.draw("key", uneven) is None


async def test_a_full_disk_leaves_the_chart_out(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "spool").write_text("a file where a folder should be")
    charts = ChartFiles(tmp_path / "spool", cache)
    assert await charts.draw("key", CHART) is None
