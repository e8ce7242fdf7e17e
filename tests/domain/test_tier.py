"""Tiers, and what in the log of a turn asks for the deepest one."""

from time import process_time

import pytest

from bot.domain.tools.tool import Code, Status
from bot.domain.turn.tier import Tier, Tiers, raised, tier_of
from bot.domain.turn.transcript import AskerBody, Body, ResultBody
from tests.domain.logs import call, log, reply, result

CODE = "```python\n" + "x = 1\n" * 9 + "```"
LOOK = call()


def why(*bodies: Body) -> str:
    return raised(log(AskerBody("Hi", "Ann"), *bodies))


def failed(number: int, status: Status = Status.FAILED) -> list[Body]:
    tried = call(id=f"f{number}")
    return [reply(tried), ResultBody(result(tried, status, f"no {number}", Code.ERROR))]


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ((), ""),
        ((AskerBody(CODE, "Ann"),), "code"),
        ((AskerBody(CODE.replace("```", "~~~"), "Ann"),), "code"),
        ((AskerBody("```\nls -l\n```", "Ann"),), ""),
        ((AskerBody("long\n" * 30, "Ann"),), ""),
        ((reply(f"So:\n{CODE}", LOOK),), "code"),
        ((AskerBody("Traceback (most recent call last):\n  File", "Ann"),), "a stack trace"),
        ((reply(LOOK), ResultBody(result(LOOK, text="  at f (a.js:3:4)"))), "a stack trace"),
        (
            (reply(LOOK), ResultBody(result(LOOK, text="  at f (C:\\A B\\a.js:3:4)"))),
            "a stack trace",
        ),
        ((reply(LOOK), ResultBody(result(LOOK, text="  at F.g(F.java:31)"))), "a stack trace"),
        ((reply(LOOK), ResultBody(result(LOOK, text="    at 10:30:15"))), ""),
        ((reply(LOOK), ResultBody(result(LOOK, text="panic: nil map"))), "a stack trace"),
        ((reply(LOOK), ResultBody(result(LOOK, text="meet me at noon (a:1)"))), ""),
        ((*failed(1), *failed(2)), ""),
        ((*failed(1), *failed(2, Status.INVALID), *failed(3, Status.TIMEOUT)), "3 failed calls"),
        ((*failed(1), *failed(2), *failed(3, Status.BLOCKED)), ""),
    ],
)
def test_code_traces_and_repeated_failures_ask_for_the_deepest(
    bodies: tuple[Body, ...], expected: str
) -> None:
    assert why(*bodies) == expected


@pytest.mark.parametrize("piece", ["\n", " \n", "\t", "  at a ", "  at a:1:2 ", "`", "```\n"])
def test_a_text_without_a_trace_is_read_in_good_time(piece: str) -> None:
    begun = process_time()
    why(*[AskerBody(piece * 20_000, "Ann")] * 5)
    # Everybody waits for it in each round; empty lines alone took two seconds each time.
    assert process_time() - begun < 2


def test_what_asked_for_it_once_goes_on_asking() -> None:
    bodies = [*failed(1), *failed(2), *failed(3)]
    assert why(*bodies, reply("Fine.")) == why(*bodies)


def test_a_tier_is_known_by_its_name_alone() -> None:
    assert [tier_of(text) for text in ("fast", "deep", "Deep", "openai/x", "", None)] == [
        Tier.FAST,
        Tier.DEEP,
        *[None] * 4,
    ]
    assert Tiers(fast="a/b").model(Tier.FAST) == "a/b"
