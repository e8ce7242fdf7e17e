import asyncio
import sys

from benchmarks.process import ROOT


async def test_a_benchmark_prints_a_row_of_its_figure() -> None:
    """The smallest of them, in the program's own process as all are."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks", "--quick", "request"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await process.communicate()
    rows = [line for line in told.decode().splitlines() if line.startswith("| First request")]
    assert process.returncode == 0
    assert len(rows) == 2
    cells = [cell.strip() for cell in rows[0].split("|")]
    assert int(cells[2].removesuffix(" bytes").replace(",", "")) > 1_000
