"""`python -m benchmarks [--quick] [name ...]`: measures, and prints one table of Markdown.

A whole run, with neither names nor --quick, also writes docs/internals/figures.md and README.md.
"""

import argparse
import asyncio
import gc
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import (
    backlog,
    discord_cost,
    drafts_and_edits,
    errands,
    first_answer,
    first_request,
    flooded_group,
    group_talk,
    hooks,
    many_chats,
    meaning_start,
    memory,
    open_cards,
    page,
    parked,
    plan_steps,
    postgres,
    prompt_cache,
    reach,
    reading,
    recall,
    recall_turn,
    schedules,
    send_rates,
    simulated,
    skills,
    start_time,
    takeover,
    turn_cost,
    verbose,
    workers,
    year,
)
from benchmarks.figure import HEADER, Figure
from benchmarks.machine import description
from benchmarks.pages import write_pages
from benchmarks.process import ROOT
from benchmarks.scale import FULL, QUICK, Scale

BENCHMARKS: Mapping[str, Callable[[Path, Scale], AsyncIterator[Figure]]] = {
    "start": start_time.measure,
    "answer": first_answer.measure,
    "turn": turn_cost.measure,
    "postgres": postgres.measure,
    "takeover": takeover.measure,
    "workers": workers.measure,
    "reach": reach.measure,
    "parked": parked.measure,
    "simulation": simulated.measure,
    "chats": many_chats.measure,
    "drafts": drafts_and_edits.measure,
    "cards": open_cards.measure,
    "plans": plan_steps.measure,
    "errands": errands.measure,
    "verbose": verbose.measure,
    "cache": prompt_cache.measure,
    "request": first_request.measure,
    "talk": group_talk.measure,
    "backlog": backlog.measure,
    "rates": send_rates.measure,
    "flood": flooded_group.measure,
    "memory": memory.measure,
    "recall": recall.measure,
    "recall_turn": recall_turn.measure,
    "meaning": meaning_start.measure,
    "skills": skills.measure,
    "schedules": schedules.measure,
    "discord": discord_cost.measure,
    "hooks": hooks.measure,
    "page": page.measure,
    "reading": reading.measure,
    "year": year.measure,
}


_DAILY = [name for name in BENCHMARKS if name != "year"]
"""A year is measured when it is named: making it takes half an hour."""


async def run(names: Sequence[str], scale: Scale) -> list[Figure]:
    """Measures one after another; each row is printed as soon as it is known."""
    # The stand-ins live in this process. The measured program would wait while the garbage
    # collector searches through everything that the stand-ins keep.
    gc.disable()
    print(HEADER, flush=True)
    figures: list[Figure] = []
    for name in names:
        with tempfile.TemporaryDirectory(prefix="steward-bench-") as folder:
            async for figure in BENCHMARKS[name](Path(folder), scale):
                print(figure.row(), flush=True)
                figures.append(figure)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="fewer turns, chats and cards")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - BENCHMARKS.keys():
        parser.error(f"no benchmark named {', '.join(sorted(unknown))}")
    # A process that is ended leaves its long poll half answered, and asyncio warns about that.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    begun, machine = time.monotonic(), description()
    print(f"{machine}\n", flush=True)
    names, scale = chosen.names or _DAILY, QUICK if chosen.quick else FULL
    figures = asyncio.run(run(names, scale))
    print(f"\nMeasured in {time.monotonic() - begun:.0f} s.")
    if not (chosen.names or chosen.quick):
        write_pages(ROOT, figures, machine)
        print("Written into docs/internals/figures.md and README.md.")


if __name__ == "__main__":
    main()
