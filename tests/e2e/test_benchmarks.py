"""The benchmarks run, and what they measure works while it is measured."""

import asyncio
import sys

import pytest

from benchmarks.process import ROOT
from tests.lacking import TAKES_LONG


async def rows_of(*names: str) -> list[list[str]]:
    """Returns the cells of each row that the quick form of these benchmarks prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks", "--quick", *names),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0
    table = [line for line in told.decode().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1:]]


async def test_a_benchmark_prints_a_row_of_its_figure() -> None:
    """The smallest of them, in the program's own process as all are."""
    rows = await rows_of("request")
    assert len(rows) == 2
    assert int(rows[0][1].removesuffix(" bytes").replace(",", "")) > 1_000


@TAKES_LONG
async def test_a_backlog_is_answered_in_order() -> None:
    """The benchmark itself fails when an answer is missing, doubled or out of its order."""
    rows = dict(row[:2] for row in await rows_of("backlog"))
    assert "500 waiting updates: start to all kept and confirmed" in rows


@pytest.mark.alone
async def test_nobody_is_sent_too_much() -> None:
    rows = dict(row[:2] for row in await rows_of("rates"))
    assert rows["20 chats' answers under the real rates: refused with a 429"] == "0 messages"
