"""Where replies come from: a queue consumed in order, or a rule that answers each request."""

from collections import deque
from collections.abc import Callable, Iterable

from tests.standins.messages_api.recording import ReceivedRequest
from tests.standins.messages_api.replies import Reply, failure

Respond = Callable[[ReceivedRequest], Reply]


class Script:
    """Hands out replies and remembers the requests it had none for."""

    def __init__(self, replies: Iterable[Reply], respond: Respond | None) -> None:
        self._waiting = deque(replies)
        self._respond = respond
        self.unanswered: list[str] = []

    def add(self, *replies: Reply) -> None:
        """Append replies to the queue."""
        self._waiting.extend(replies)

    def rule(self, respond: Respond) -> None:
        """Answer what the queue holds no reply for."""
        self._respond = respond

    def next(self, request: ReceivedRequest) -> Reply:
        """Take the queue's next reply, else the rule's, else a 500 that is remembered."""
        if self._waiting:
            return self._waiting.popleft()
        if self._respond:
            return self._respond(request)
        message = f"the script holds no reply for request {request.number}"
        self.unanswered.append(message)
        return failure(500, message)

    def assert_exhausted(self) -> None:
        """Fail if replies are left over, or if a request found none."""
        assert not self._waiting, f"{len(self._waiting)} replies were never asked for"
        assert not self.unanswered, "; ".join(self.unanswered)
