"""Blocking work that is called off."""

import asyncio
import threading

import pytest

from bot.adapters.tools.thread_work import CallerGone, StopSign, in_thread


async def test_work_runs_beside_the_loop_and_gives_its_result() -> None:
    here = threading.get_ident()
    assert await in_thread(lambda _: threading.get_ident()) != here


async def test_faults_of_the_work_reach_the_caller() -> None:
    def work(_: StopSign) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await in_thread(work)


async def test_a_cancel_ends_the_work_before_it_goes_on() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(sign: StopSign) -> None:
        begun.set()
        try:
            while True:
                sign.heed()
        except CallerGone:
            ended.set()
            raise

    task = asyncio.ensure_future(in_thread(work))
    await asyncio.to_thread(begun.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
