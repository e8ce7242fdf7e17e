"""The pictures show what the present program shows: each play gives the recording that is kept."""

import pytest

from pictures.pages import draw, picture_of, recording_of
from pictures.plays import PLAYS
from pictures.session import from_json, to_json
from pictures.starting import STARTS, Starts
from tests.e2e.launching import ForkServer

REMEDY = "what people see has changed; `make pictures` makes this picture anew: look at it"


@pytest.mark.parametrize("name", PLAYS)
async def test_a_play_gives_the_recording_and_the_picture_that_are_kept(
    name: str, forks: ForkServer
) -> None:
    STARTS.set(Starts(forks.launch, forks.command))
    session = await PLAYS[name]()
    kept = recording_of(name).read_text()
    assert to_json(session).splitlines() == kept.splitlines(), REMEDY
    assert draw(from_json(kept)) == picture_of(name).read_text(), REMEDY
