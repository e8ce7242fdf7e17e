import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from bot.bootstrap.opening import collect_from_now_on, uncollected


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """Leaves the collector of the tests as it was: it looks at nothing that all of them load."""
    # Tests that load the program in their own process have paused it.
    gc.enable()
    yield
    gc.enable()
    # Unfrozen, every module would be looked through again and again for the rest of the session.
    gc.freeze()


def test_a_start_collects_nothing_while_it_loads() -> None:
    code = "import gc, bot.__main__; print(gc.isenabled())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert told.stdout.strip() == "False"


def test_what_is_loaded_at_the_start_is_left_out_of_every_later_collection() -> None:
    gc.disable()
    loaded = [["loaded"]]
    collect_from_now_on()
    assert gc.isenabled()
    assert not any(one is loaded for one in gc.get_objects())
    later = [["made later"]]
    assert any(one is later for one in gc.get_objects())


def test_where_the_start_paused_nothing_all_is_collected_as_ever() -> None:
    # The count of what is frozen would not tell: others may free some of it meanwhile.
    made = [["made before"]]
    collect_from_now_on()
    assert any(one is made for one in gc.get_objects())


def test_a_part_that_is_loaded_later_is_left_out_as_well() -> None:
    with uncollected():
        assert not gc.isenabled()
        part = [["a part"]]
    assert gc.isenabled()
    assert not any(one is part for one in gc.get_objects())


def test_a_part_loaded_before_the_start_is_over_leaves_the_pause_to_the_start() -> None:
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()
