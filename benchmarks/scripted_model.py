"""How the scripted model answers: a call first, and the answer once it has the result."""

from tests.standins.messages_api import Call, ReceivedRequest, Reply, calls, text, tool
from tests.standins.messages_api.wire import content_blocks

ANSWER = "Done"
"""What every settled answer begins with."""


def two_rounds(request: ReceivedRequest) -> Reply:
    """A turn of two rounds with one tool that asks nobody."""
    return _after(request, tool("current_time", {}))


def asking(request: ReceivedRequest) -> Reply:
    """A turn whose call needs a person's consent."""
    return _after(request, tool("write_file", {"path": "note.txt", "content": "A line.\n"}))


def _after(request: ReceivedRequest, call: Call) -> Reply:
    blocks = content_blocks(request.body["messages"][-1]["content"])
    if any(block["type"] == "tool_result" for block in blocks):
        return text(f"{ANSWER}. That was all there was to do.")
    return calls(call)
