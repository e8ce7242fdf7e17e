"""Log lines: one an event, with chat and turn, and without any secret."""

import errno
import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Literal
from urllib.parse import quote

import pytest

from bot.logs import Secrets, log_context, start_logging

SECRET = "12345:AA/canary+token=="


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    before, level, told = root.handlers[:], root.level, logging.raiseExceptions
    yield
    logging.raiseExceptions = told
    root.handlers[:] = before
    root.setLevel(level)


class Log:
    """Logging as the program starts it, into a string."""

    def __init__(self, style: Literal["text", "json"] = "text") -> None:
        self.stream = io.StringIO()
        self.secrets = Secrets()
        self.logger = logging.getLogger("bot.test")
        start_logging(logging.StreamHandler(self.stream), self.secrets, style=style, level="INFO")

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def line(self) -> str:
        assert self.text.count("\n") == 1
        return self.text.removesuffix("\n")


class Full(io.StringIO):
    """A file on a full disk."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def fail(text: str) -> None:
    try:
        raise KeyError(text)
    except KeyError as error:
        raise RuntimeError(f"wrapped {text}") from error


@pytest.mark.parametrize("style", ["text", "json"])
@pytest.mark.parametrize("form", [SECRET, quote(SECRET), quote(SECRET, safe=""), repr(SECRET)])
def test_no_form_of_a_secret_is_written(style: Literal["text", "json"], form: str) -> None:
    log = Log(style)
    log.secrets.add(SECRET)
    log.logger.info("in the message %s", form)
    log.logger.info(f"in the text {form}")
    log.logger.info("in a value", extra={"turn": form})
    log.logger.info("in a shape %s", {"url": f"https://host/bot{form}/getMe"}, stack_info=True)
    try:
        fail(form)
    except RuntimeError:
        log.logger.exception("in a trace")
    assert log.text.count("[secret]") >= 6
    assert "canary" not in log.text


def test_a_secret_learnt_later_is_hidden_from_then_on() -> None:
    log = Log()
    log.secrets.add("pairing-code-1")
    log.logger.info("pairing-code-1 pairing-code-2")
    log.secrets.add("pairing-code-2")
    log.logger.info("pairing-code-2")
    assert log.text.count("[secret]") == 2


def test_short_words_are_no_secrets() -> None:
    log = Log()
    log.secrets.add("", "abc")
    log.logger.info("abc")
    assert "abc" in log.line


def test_foreign_text_cannot_forge_a_line() -> None:
    log = Log()
    log.logger.info("name %s", "x\n2026-01-01 00:00:00Z ERROR bot: forged\x1b[2J\u202e\u2028\ud800")
    assert r"x\n2026-01-01" in log.line
    assert r"\x1b[2J\u202e\u2028\ud800" in log.line


def test_lines_of_a_trace_are_indented_and_cannot_pass_for_events() -> None:
    log = Log()
    try:
        fail("a\n2026-01-01 00:00:00Z ERROR bot: forged\x1b")
    except RuntimeError:
        log.logger.exception("oh")
    first, *rest = log.text.splitlines()
    assert "RuntimeError: wrapped a" in log.text
    assert first.endswith("ERROR bot.test: oh")
    assert all(line.startswith("    ") for line in rest)
    assert "\x1b" not in log.text


def test_chat_and_turn_come_from_the_context() -> None:
    log = Log()
    with log_context(chat=7):
        with log_context(turn="t1"):
            log.logger.info("inside")
        log.logger.info("beside", extra={"chat": 8})
    log.logger.info("outside")
    inside, beside, outside = log.text.splitlines()
    assert inside.endswith("inside (chat=7 turn=t1)")
    assert beside.endswith("beside (chat=8)")
    assert outside.endswith("outside")


def test_json_lines_are_objects() -> None:
    log = Log("json")
    with log_context(chat=7, turn="t1"):
        log.logger.warning("a \n “b”")
    line = json.loads(log.line)
    assert line["time"].endswith("+00:00")
    del line["time"]
    assert line == {
        "level": "WARNING",
        "logger": "bot.test",
        "message": r"a \n “b”",
        "chat": 7,
        "turn": "t1",
    }


def test_libraries_that_tell_every_request_are_quiet() -> None:
    log = Log()
    for name in (
        "httpx",
        "httpx2",
        "httpcore.connection",
        "telegram.ext",
        "anthropic",
        "alembic.x",
    ):
        logging.getLogger(name).info("GET https://host/bot1:x/getMe")
    assert log.text == ""
    logging.getLogger("httpx").warning("trouble")
    assert "trouble" in log.line


def test_a_line_with_the_wrong_arguments_is_written_all_the_same() -> None:
    log = Log()
    too_few = ("one",)
    log.logger.info("%d of %d", *too_few)
    assert "%d of %d" in log.line


def test_a_line_that_cannot_be_written_is_left_out_in_silence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    start_logging(logging.StreamHandler(Full()), Secrets(), style="text", level="INFO")
    logging.getLogger("bot.test").warning("trouble")
    assert capsys.readouterr().err == ""


def test_what_a_place_says_again_and_again_is_left_out_and_counted() -> None:
    log = Log()

    def said(times: int, at: float, level: int = logging.WARNING) -> None:
        for number in range(times):
            message = ("bot.test", level, "here.py", 1, "no answer from %s", (number,), None)
            record = logging.LogRecord(*message)
            record.created = at
            log.logger.handle(record)

    said(1000, 0.0)
    assert log.text.count("no answer") == 5
    said(1, 3599.0)
    assert log.text.count("no answer") == 5
    said(1, 3600.0)
    assert log.text.count("no answer") == 6
    assert "no answer from 0 (996 more like it before were left out)" in log.text
    said(20, 3601.0, logging.INFO)
    assert log.text.count("INFO") == 20
    said(6, -9000.0)  # The clock was set back.
    assert log.text.count("no answer") == 31


def test_places_are_forgotten_and_each_has_its_own_count() -> None:
    log = Log()
    for number in range(2000):
        log.logger.warning(f"fault {number}")
    assert log.text.count("fault") == 2000


def test_a_provider_that_is_down_for_a_night_writes_little() -> None:
    log = Log("json")
    for minute in range(12 * 60):
        for place in range(20):
            try:
                raise ConnectionError("x" * 200)
            except ConnectionError:
                record = logging.LogRecord(
                    *("bot.test", logging.ERROR, "here.py", 1, f"place {place}", (), sys.exc_info())
                )
            record.created = minute * 60.0
            log.logger.handle(record)
    assert len(log.text) < 1_000_000
