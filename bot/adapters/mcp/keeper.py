"""The process between Steward and a server: it ends the server when Steward is gone.

It is run by its path, with a descriptor and a command line. It starts the command in a session of
its own. Then it waits until the command has ended, or until the other end of the descriptor is
closed: the kernel closes it when Steward dies, however it dies. After that the keeper ends every
process that the command has started, also those in sessions of their own. It imports nothing of
Steward.
"""

import os
import select
import signal
import sys
import time

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_GRACE = 1.0
_PASSES = 20
_NOT_STARTED = 127
_SIGNALLED = 128
"""With a signal's number added, the exit code of a command that the signal ended."""


def main(arguments: list[str]) -> int:
    lifeline, command = int(arguments[0]), arguments[1:]
    os.set_inheritable(lifeline, False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    woken, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker)
    child = os.fork()
    if child == 0:
        _become(command)
    _let_go_of_pipes()
    ended: dict[int, int] = {}
    while child not in ended:
        ready, _, _ = select.select([lifeline, woken], [], [])
        if lifeline in ready:
            break
        os.read(woken, 4096)
        _reap(ended)
    _end(child, ended)
    code = ended.get(child, -signal.SIGKILL)
    return code if code >= 0 else _SIGNALLED - code


def _become(command: list[str]) -> None:
    """Turns the forked child into the server; never returns."""
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.execvp(command[0], command)
    except OSError as fault:
        os.write(2, f"{command[0]}: {fault.strerror}\n".encode())
    finally:
        os._exit(_NOT_STARTED)


def _let_go_of_pipes() -> None:
    """Closes the keeper's copies of the pipes, so that they end with the server."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):
        os.dup2(nothing, pipe)


def _reap(ended: dict[int, int]) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        ended[pid] = os.waitstatus_to_exitcode(status)


def _end(child: int, ended: dict[int, int]) -> None:
    """Ends all descendants: asks first, then uses force, and repeats for those born meanwhile."""
    _signal_all(_descendants(), signal.SIGTERM)
    until = time.monotonic() + _GRACE
    while _descendants() and time.monotonic() < until:
        time.sleep(0.01)
        _reap(ended)
    for _ in range(_PASSES):
        left = _descendants()
        if not left:
            break
        _signal_all(left, signal.SIGKILL)
        time.sleep(0.01)
        _reap(ended)
    try:
        os.killpg(child, signal.SIGKILL)
    except OSError:
        pass
    _reap(ended)


def _descendants() -> list[int]:
    """Returns every process below this one; orphans among them have become its children."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stat:
                    fields = stat.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields[0] != b"Z":
                children.setdefault(int(fields[1]), []).append(int(name))
    found: list[int] = []
    open_yet = [os.getpid()]
    while open_yet:
        below = children.get(open_yet.pop(), [])
        found += below
        open_yet += below
    return found


def _signal_all(processes: list[int], number: int) -> None:
    for process in processes:
        try:
            os.kill(process, number)
        except OSError:
            pass


def _prctl(option: int, value: int) -> None:
    """Calls prctl; does nothing on systems without it."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
