"""Ports that tests are given belong to nobody else."""

import subprocess
import sys

from tests.e2e.launching import ROOT
from tests.ports import free_port

_SAME_CHOICE = (
    "import random, sys; random.seed(7); from tests.ports import free_port;"
    "print(free_port(), flush=True); sys.stdin.read()"
)


def chooser() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _SAME_CHOICE]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_two_processes_that_choose_alike_are_given_different_ports() -> None:
    with chooser() as one, chooser() as other:
        assert one.stdout is not None
        assert other.stdout is not None
        first, second = one.stdout.readline(), other.stdout.readline()
        one.communicate()
        other.communicate()
    assert first != second


def test_a_port_is_not_given_again_at_once() -> None:
    given = [free_port() for _ in range(20)]
    assert len(set(given)) == len(given)
