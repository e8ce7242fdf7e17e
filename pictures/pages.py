"""The places of recordings and pictures, and the page that shows a talk as text."""

import re
from pathlib import Path

from pictures import chat_drawing, screen_drawing
from pictures.session import ScreenMoment, Session

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"(?<=<!-- minute -->\n).*?(?=<!-- /minute -->)", re.DOTALL)


def recording_of(name: str) -> Path:
    """Returns the file that holds the recorded session."""
    return ROOT / "pictures" / "recorded" / f"{name}.json"


def picture_of(name: str) -> Path:
    """Returns the file that the README and the docs show."""
    return ROOT / "docs" / "pictures" / f"{name}.svg"


def draw(session: Session) -> str:
    """Returns the picture of a session: a film when it has several moments."""
    return screen_drawing.draw(session) if session.columns else chat_drawing.draw(session)


def write_transcript(page: Path, session: Session) -> None:
    """Puts the text of the session's last moment between the markers of the page."""
    text, count = _BLOCK.subn(lambda _: _block(session), page.read_text())
    if count != 1:
        raise ValueError(f"{page.name} has {count} places for the first minute instead of one")
    page.write_text(text)


def _block(session: Session) -> str:
    last = session.moments[-1]
    if not isinstance(last, ScreenMoment):
        raise TypeError("the first minute is a talk in a terminal")
    return f"```text\n{last.text}\n```\n"
