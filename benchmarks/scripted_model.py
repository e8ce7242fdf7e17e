"""The scripted model: it makes a call first, and answers when it has the result."""

import re

from tests.standins.messages_api import Call, ReceivedRequest, Reply, calls, text, tool
from tests.standins.messages_api.wire import content_blocks

ANSWER = "Done"
"""Stands in every settled answer, and nowhere else."""

_NUMBER = re.compile(r"#\d+")
_ANSWERED = re.compile(r"#(\d+)")


def two_rounds(request: ReceivedRequest) -> Reply:
    """Answers in two rounds, with one tool that needs no consent."""
    return _after(request, tool("current_time", {}))


def slow_rounds(request: ReceivedRequest) -> Reply:
    """Answers in two rounds that take their time, so that a draft is shown before the answer."""
    blocks = content_blocks(request.body["messages"][-1]["content"])
    answered = any(block["type"] == "tool_result" for block in blocks)
    said = text(f"{ANSWER}. That was all there was to do.")
    looks = text("I look at the clock first.") + calls(tool("current_time", {}))
    return (said if answered else looks).in_pieces(6, pause=0.03)


def naming(request: ReceivedRequest) -> Reply:
    """Answers at once, with the numbers (#1) of the messages."""
    return text(f"{ANSWER} with {_NUMBER.findall(_words(request))}.")


def numbers(answer: str) -> list[int]:
    """Returns the numbers in an answer."""
    return [int(number) for number in _ANSWERED.findall(answer)]


def asking(request: ReceivedRequest) -> Reply:
    """Answers with a call that needs a person's consent."""
    return _after(request, tool("write_file", {"path": "note.txt", "content": "A line.\n"}))


def after_skill(request: ReceivedRequest) -> Reply:
    """Answers in three rounds: the named skill, then a call or a stage's text, then the answer."""
    blocks = content_blocks(request.body["messages"][-1]["content"])
    results = [str(block["content"]) for block in blocks if block["type"] == "tool_result"]
    if any("The skill alone" in result for result in results):
        return calls(tool("current_time", {}))
    if any("The skill first" in result for result in results):
        return text("Raw notes of what there is.")
    if results or "in place of first" in _words(request):
        return text(f"{ANSWER}. That was all there was to do.")
    wanted = "first" if "first" in _words(request) else "alone"
    return calls(tool("use_skill", {"name": wanted}))


def _words(request: ReceivedRequest) -> str:
    blocks = content_blocks(request.body["messages"][-1]["content"])
    return " ".join(block["text"] for block in blocks if block["type"] == "text")


def _after(request: ReceivedRequest, call: Call) -> Reply:
    blocks = content_blocks(request.body["messages"][-1]["content"])
    if any(block["type"] == "tool_result" for block in blocks):
        return text(f"{ANSWER}. That was all there was to do.")
    return calls(call)
