"""Which tools of servers are offered, and which are found by words."""

import pytest

from bot.domain.tool import Effect, Replay, ToolSpec
from bot.domain.tool_choice import chosen, search, size_of


def spec(name: str, description: str = "", size: int = 0) -> ToolSpec:
    told = description or "x" * size
    return ToolSpec(name, told, {"type": "object"}, Effect.WRITE, Replay.ONCE)


HOUSE = [spec("read_file", size=1_000)]
LENT = [spec(f"{server}__{n}", size=1_000) for server in ("a", "b", "c") for n in range(10)]


def test_all_tools_are_offered_where_there_is_room() -> None:
    choice = chosen(HOUSE, LENT, (), 64_000)
    assert choice.offered == tuple(tool.name for tool in LENT)
    assert (choice.found, choice.hidden) == ((), ())


def test_every_server_keeps_its_first_tools_where_there_is_none() -> None:
    choice = chosen(HOUSE, LENT, (), 12_000)
    assert choice.offered == ("a__0", "a__1", "b__0", "b__1", "c__0", "c__1")
    assert len(choice.hidden) == 24
    assert chosen(HOUSE, LENT, (), 12_000) == choice


def test_found_tools_stand_behind_the_others_and_move_nothing() -> None:
    bare = chosen(HOUSE, LENT, (), 12_000)
    one = chosen(HOUSE, LENT, ("b__7",), 12_000)
    two = chosen(HOUSE, LENT, ("b__7", "a__9", "a__0", "gone__1"), 12_000)
    assert one.offered == two.offered == bare.offered
    assert (one.found, two.found) == (("b__7",), ("b__7", "a__9"))


def test_the_oldest_finds_make_room_for_the_newest() -> None:
    found = [f"c__{n}" for n in range(2, 10)]
    assert chosen(HOUSE, LENT, found, 12_000).found == ("c__6", "c__7", "c__8", "c__9")
    every = chosen(HOUSE, LENT, found, 12_000)
    sizes = {tool.name: size_of(tool) for tool in (*HOUSE, *LENT)}
    assert sum(sizes[n] for n in ("read_file", *every.offered, *every.found)) <= 12_000


@pytest.mark.parametrize(
    ("words", "best"),
    [
        ("create an issue on github", "hub__create_issue"),
        ("issues", "hub__create_issue"),
        ("move a calendar event", "cal__moveEvent"),
        ("pay an invoice", "till__charge"),
        ("list the files", "fs__list"),
    ],
)
def test_words_find_the_tool_they_fit(words: str, best: str) -> None:
    tools = [
        spec("hub__create_issue", "Creates an issue in a GitHub repository."),
        spec("hub__list_pulls", "Lists the pull requests of a repository."),
        spec("cal__moveEvent", "Moves it to another day."),
        spec("till__charge", "Charges a customer: pays their invoice."),
        spec("fs__list", "Shows the files of a folder."),
    ]
    assert search(words, tools, 3)[0].name == best
    assert search("xylophone", tools, 3) == []
