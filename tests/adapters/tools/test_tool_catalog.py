"""What is known of the tools of the house before they are built."""

from bot.adapters.tools.catalog import NAMES
from bot.ports.tool import Tool


def test_the_names_are_those_of_the_tools(tools: dict[str, Tool]) -> None:
    assert set(tools) == NAMES
