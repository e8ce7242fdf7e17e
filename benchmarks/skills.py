"""The cost of skills: of loading a thousand, of a turn among them, and of a pipeline's stage."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER, after_skill, two_rounds
from benchmarks.stage import Stage, stage
from bot.adapters.skill_folder.skill_folders import SkillFolders
from bot.adapters.system_clock import SystemClock
from tests.standins.bot_api import Person

_MANY = 1_000
_LOADS = 5
_BODY = "Do this and that, one step after another, and say what came of it.\n" * 40


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    many, two = folder / "many", folder / "two"
    await asyncio.to_thread(_write, many)
    loads = [await asyncio.to_thread(_loaded, many) for _ in range(_LOADS)]
    name = f"{_MANY:,} skills: loading them once"
    yield Figure(f"{name}, processor time", median(cpu for cpu, _ in loads), "ms", aim="≤ 50 ms")
    yield Figure("… wall time", median(wall for _, wall in loads), "ms")
    nothing = folder / "nothing"
    nothing.mkdir()
    without, among = await _turns(folder / "turns", scale, nothing, many)
    yield Figure(f"A turn among {_MANY:,} skills: processor time", among, "ms")
    more = "… more than without any: the list is sent, nothing is read"
    yield Figure(more, among - without, "ms")
    _pipeline(two)
    plain, staged = await _stages(folder / "stages", scale, two)
    yield Figure("A turn of three rounds under a skill: processor time", plain, "ms")
    added = staged - plain
    yield Figure("… more when one round is a pipeline's stage", added, "ms", aim="≤ 3 ms")


def _write(root: Path) -> None:
    for number in range(_MANY):
        told = f"Turns raw notes of kind {number} into minutes with decisions, tasks and dates"
        _skill(root, f"skill-{number}", f"description: {told}.\nlicense: MIT\n")


def _pipeline(root: Path) -> None:
    _skill(root, "alone", "description: Works alone.\n")
    _skill(root, "first", "description: Begins a pipeline.\nnext_skill: second\n")
    _skill(root, "second", "description: Ends a pipeline.\n")


def _skill(root: Path, name: str, head: str) -> None:
    (root / name).mkdir(parents=True)
    (root / name / "SKILL.md").write_text(f"---\nname: {name}\n{head}---\n{_BODY}")


def _loaded(root: Path) -> tuple[float, float]:
    """Returns the processor and wall time in ms of reading all skills below a folder."""
    folders = SkillFolders([root], root.parent, os.environ, SystemClock())
    cpu, wall = time.thread_time(), time.perf_counter()
    folders.load()
    used = time.thread_time() - cpu, time.perf_counter() - wall
    if len(folders.known.ready) != _MANY:
        raise RuntimeError(f"only {len(folders.known.ready)} skills were read")
    return used[0] * 1000, used[1] * 1000


async def _turns(folder: Path, scale: Scale, few: Path, many: Path) -> tuple[float, float]:
    """Returns the processor time of a turn with few skills and with many, measured in turns."""
    async with stage(folder / "few", two_rounds) as on, stage(folder / "many", two_rounds) as other:
        [ann], [bob] = on.people(1), other.people(1)
        async with (
            on.steward([ann], {"STEWARD_SKILLS": str(few)}) as one,
            other.steward([bob], {"STEWARD_SKILLS": str(many)}) as two,
        ):
            pairs = [
                (await _cost(on, one, ann, "Go"), await _cost(other, two, bob, "Go"))
                for _ in range(scale.around + 1)
            ][1:]
    return median(a for a, _ in pairs), median(b for _, b in pairs)


async def _stages(folder: Path, scale: Scale, skills: Path) -> tuple[float, float]:
    async with stage(folder, after_skill) as on:
        [ann, bob] = on.people(2)
        async with on.steward([ann, bob], {"STEWARD_SKILLS": str(skills)}) as process:
            pairs = [
                (await _cost(on, process, ann, "alone"), await _cost(on, process, bob, "first"))
                for _ in range(scale.around + 1)
            ][1:]
        shown = [m.text for m in on.bot_api.screen(bob.id).from_bot]
        if not all(text.startswith(ANSWER) for text in shown):
            raise RuntimeError("a stage's text was sent")
    return median(a for a, _ in pairs), median(b for _, b in pairs)


async def _cost(on: Stage, process: MeasuredProcess, person: Person, text: str) -> float:
    await process.at_rest()
    before = process.cpu_ms()
    await on.turn(person, text)
    await process.at_rest()
    return process.cpu_ms() - before
