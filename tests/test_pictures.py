"""Pictures are drawn from recordings alone, and the README shows one of them as text."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from pictures import page_film
from pictures.lettering import lines, width
from pictures.page import SIZES, places
from pictures.pages import ROOT, draw, picture_of, recording_of, write_transcript
from pictures.phone import runs_of
from pictures.plays import PLAYS
from pictures.session import Bubble, ChatMoment, Run, ScreenMoment, Session, from_json, to_json
from pictures.steady import steady
from tests.standins.bot_api import Entity

MOST_BYTES, MOST_BYTES_OF_FILM = 60_000, 500_000
README = ROOT / "README.md"
_SHOWN = re.compile(r"(?:src=\"|\]\()((?:docs/)?pictures/\w+\.svg)")
_WORDS = re.compile(r"\w+")


def test_there_is_a_recording_and_a_picture_of_each_play_and_nothing_else() -> None:
    recorded = {path.stem for path in recording_of("x").parent.iterdir()}
    drawn = {path.stem for path in picture_of("x").parent.glob("*.svg")}
    assert recorded == drawn == set(PLAYS)


@pytest.mark.parametrize("name", PLAYS)
def test_a_picture_is_small_whole_and_made_of_its_recording(name: str) -> None:
    session, kept = from_json(recording_of(name).read_text()), picture_of(name).read_text()
    assert draw(session) == kept
    assert len(kept.encode()) < MOST_BYTES
    tree = ElementTree.fromstring(kept)
    shown = " ".join("".join(part.itertext()) for part in tree.iter(f"{{{tree.tag[1:-4]}}}text"))
    missing = set(_WORDS.findall(_said(session))) - set(_WORDS.findall(shown))
    assert missing == set()
    assert tree.attrib["aria-label"] == session.title


def test_each_picture_of_the_page_is_there_and_is_small() -> None:
    kept = set(picture_of("x").parent.glob("*.png"))
    assert kept == set(places(picture_of("x").parent))
    shown = (ROOT / "docs" / "page.md").read_text()
    for path in kept:
        assert f'src="pictures/{path.name}"' in shown
        assert path.stat().st_size < MOST_BYTES
        with Image.open(path) as picture:
            assert picture.size == SIZES[path.stem.split("-")[2]]


def test_the_film_of_the_page_and_the_phone_is_small_and_moves() -> None:
    path = page_film.place(picture_of("x").parent)
    assert path.stat().st_size < MOST_BYTES_OF_FILM
    with Image.open(path) as film:
        assert film.size == page_film.SIZE
        assert getattr(film, "n_frames", 1) == page_film.FRAMES
    assert f"docs/pictures/{path.name}" in README.read_text()


@pytest.mark.parametrize("name", PLAYS)
def test_a_recording_is_read_as_it_was_written(name: str) -> None:
    kept = recording_of(name).read_text()
    assert to_json(from_json(kept)) == kept


def test_every_picture_is_on_a_page() -> None:
    pages = [README, *(ROOT / "docs").glob("*.md")]
    shown = {Path(path).stem for page in pages for path in _SHOWN.findall(page.read_text())}
    # The first minute stands in the README as text.
    assert shown | {"minute"} == set(PLAYS)


def test_the_readme_shows_the_first_minute_as_it_was_recorded(tmp_path: Path) -> None:
    session = from_json(recording_of("minute").read_text())
    page = tmp_path / "README.md"
    page.write_text(README.read_text())
    write_transcript(page, session)
    assert page.read_text() == README.read_text()
    assert "[y] ✅ Approve" in page.read_text()


def test_a_page_without_its_place_is_not_written(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("# Steward\n")
    with pytest.raises(ValueError, match="0 places"):
        write_transcript(page, Session("", (ScreenMoment(1, ()),), columns=60))
    assert page.read_text() == "# Steward\n"


def test_styles_are_cut_where_entities_begin_and_end_behind_emoji_too() -> None:
    entities = (Entity("bold", 0, 8), Entity("italic", 3, 5))
    assert runs_of("🔐 Edit x", entities) == [
        ("🔐 ", "bold"),
        ("Edit ", "bold italic"),
        ("x", ""),
    ]


@pytest.mark.parametrize("within", [40, 90, 200])
def test_no_line_is_wider_than_its_room_and_no_word_is_lost(within: float) -> None:
    words = "A sentence of some words, ✅ and anextraordinarilylongonewithoutanyspaces at its end"
    runs: list[Run] = [(words[:20], "bold"), (words[20:], "")]
    laid = lines(runs, within, 15)
    assert max(row[-1].x + row[-1].width for row in laid if row) <= within + 1
    together = "".join(piece.words for row in laid for piece in row)
    assert together.replace(" ", "") == words.replace(" ", "")


def test_wide_letters_take_more_room_than_narrow_ones() -> None:
    assert width("WWW", "", 15) > width("nnn", "", 15) > width("iii", "", 15)
    assert width("iii", "code", 15) == width("WWW", "code", 15)


def test_markup_in_what_people_write_is_shown_and_not_obeyed() -> None:
    bubble = Bubble((("<script>&amp;", ""),), buttons=(('"<b>"',),))
    drawn = draw(Session('A "title" & <more>', (ChatMoment(1, (bubble,)),)))
    texts = [part.text for part in ElementTree.fromstring(drawn).iter() if part.text]
    assert "<script>&amp;" in texts
    assert '"<b>"' in texts


def test_times_codes_and_folders_are_the_same_in_every_run() -> None:
    said = "until 2027-01-05 09:00 UTC · 12.3 s · /tmp/x/data t.me/steward_bot?start=Ab_c-1"
    assert (
        steady(said, Path("/tmp/x"))
        == "until 2026-11-23 09:41 · 4 s · ~/steward/data t.me/steward_bot?start=…"
    )


def _said(session: Session) -> str:
    """Returns the words of all moments, without what a phone breaks in the middle."""
    said: list[str] = []
    for moment in session.moments:
        if isinstance(moment, ScreenMoment):
            said.append(moment.text)
            continue
        said.extend((moment.notice, *moment.shell))
        for bubble in moment.bubbles:
            said.extend(words for words, _ in bubble.runs)
            said.extend(label for row in bubble.buttons for label in row)
    return "\n".join(said)
