"""Which tools of servers are offered, and which are found by words."""

import pytest

from bot.domain.tools.tool import Effect, Replay, ToolSpec
from bot.domain.tools.tool_choice import Leaning, chosen, search, size_of


def spec(name: str, description: str = "", size: int = 0) -> ToolSpec:
    told = description or "x" * size
    return ToolSpec(name, told, {"type": "object"}, Effect.WRITE, Replay.ONCE)


HOUSE = [spec("read_file", size=1_000)]
LENT = [spec(f"{server}__{n}", size=1_000) for server in ("a", "b", "c") for n in range(10)]


def test_all_tools_are_offered_where_there_is_room() -> None:
    choice = chosen(HOUSE, LENT, Leaning(), 64_000)
    assert choice.offered == tuple(tool.name for tool in LENT)
    assert choice.hidden == ()


def test_every_server_keeps_its_first_tools_where_there_is_none() -> None:
    choice = chosen(HOUSE, LENT, Leaning(), 11_000)
    assert choice.offered == ("a__0", "a__1", "b__0", "b__1", "c__0", "c__1")
    assert len(choice.hidden) == 24
    assert chosen(HOUSE, LENT, Leaning(), 11_000) == choice


@pytest.mark.parametrize("server", ["a", "b", "c"])
def test_the_room_is_filled_and_never_exceeded(server: str) -> None:
    for lent in (LENT, [tool for tool in LENT if tool.name[0] == server]):
        choice = chosen(HOUSE, lent, Leaning("nothing that fits"), 11_500)
        sizes = {tool.name: size_of(tool) for tool in (*HOUSE, *lent)}
        filled = sum(sizes[name] for name in ("read_file", *choice.offered))
        assert 11_500 - 3_000 - 1_100 < filled <= 11_500 - 3_000


def test_a_tool_that_was_used_or_fits_the_first_words_comes_before_others() -> None:
    pages = spec("c__make_page", "Makes a page. " + "x" * 1_000)
    lent = [*LENT, pages]
    choice = chosen(HOUSE, lent, Leaning("make a page for me", ("b__9", "gone__1")), 11_000)
    assert choice.offered == ("a__0", "a__1", "b__0", "b__9", "c__0", "c__make_page")


def test_tools_that_were_used_leave_half_of_the_room_to_the_other_servers() -> None:
    used = tuple(tool.name for tool in LENT if tool.name.startswith("a"))
    choice = chosen(HOUSE, LENT, Leaning(used=used), 11_000)
    assert choice.offered == ("a__0", "a__1", "a__2", "b__0", "b__1", "c__0")


def test_no_more_tools_are_offered_than_a_provider_accepts() -> None:
    many = [spec(f"a__{n}", size=10) for n in range(200)]
    choice = chosen(HOUSE, many, Leaning(), 64_000)
    assert len(HOUSE) + len(choice.offered) + 2 == 128


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
