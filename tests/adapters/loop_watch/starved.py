"""Works on one processor that others want too; prints what the watch noticed."""

import asyncio
import json
import os
import sys
import threading
import time

from bot.adapters.loop_watch.loop_watch import LoopWatch

_WORKS = 8


def compute(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


async def main(watch: LoopWatch) -> dict[str, float]:
    over = threading.Event()

    def rival() -> None:
        """Wants the interpreter too, and is as often without a processor."""
        while not over.is_set():
            compute(0.001)
            time.sleep(0.001)

    thread = threading.Thread(target=rival)
    thread.start()
    longest = 0.0
    with watch.watching():
        for _ in range(_WORKS):
            begun = time.monotonic()
            compute(0.05)
            longest = max(longest, time.monotonic() - begun)
            await asyncio.sleep(0.05)
        short = watch.holds().times
        compute(0.3)
        while not watch.holds().times:  # a thread notices, and tells nobody
            await asyncio.sleep(0.05)
    over.set()
    thread.join()
    return {"longest lap": longest, "short works": short, "long work": watch.holds().times}


if __name__ == "__main__":
    os.sched_setaffinity(0, {int(sys.argv[1])})
    the_watch = LoopWatch()
    with asyncio.Runner(loop_factory=the_watch.new_loop) as runner:
        sys.stdout.write(json.dumps(runner.run(main(the_watch))))
