"""How much a bot may send, counted as the real service counts."""

from collections import defaultdict, deque
from dataclasses import dataclass

from tests.standins.bot_api.pulse import Clock
from tests.standins.bot_api.refusal import too_many_requests
from tests.standins.bot_api.world import Chat


@dataclass(frozen=True)
class Rates:
    """One message a second in a chat with a small burst, 20 a minute in a group, 30 a second."""

    chat_interval: float = 1.0
    chat_burst: int = 3
    group_per_minute: int = 20
    all_per_second: int = 30


class FloodGate:
    """Counts sends, edits and drafts; refuses with the seconds to wait. No rates, no limit."""

    def __init__(self, rates: Rates | None, clock: Clock) -> None:
        self.rates = rates
        self.floods = 0
        self._clock = clock
        self._free_at: dict[int, float] = defaultdict(float)
        self._group: dict[int, deque[float]] = defaultdict(deque[float])
        self._all: deque[float] = deque()

    def pass_through(self, chat: Chat) -> None:
        """Count one call that shows something in the chat, or refuse it with a 429."""
        if self.rates is None:
            return
        now = self._clock.now()
        wait = max(self._waits(self.rates, chat, now))
        if wait > 0:
            self.floods += 1
            raise too_many_requests(wait)
        self._free_at[chat.id] = max(self._free_at[chat.id], now) + self.rates.chat_interval
        self._all.append(now)
        if not chat.is_private:
            self._group[chat.id].append(now)

    def _waits(self, rates: Rates, chat: Chat, now: float) -> tuple[float, float, float]:
        tolerated = rates.chat_interval * (rates.chat_burst - 1)
        # An interval a thousandth short is a second on any clock that jitters.
        in_chat = self._free_at[chat.id] - tolerated - now - 0.001
        in_group = _window_wait(self._group[chat.id], rates.group_per_minute, 60.0, now)
        return in_chat, in_group, _window_wait(self._all, rates.all_per_second, 1.0, now)


def _window_wait(sent: deque[float], limit: int, seconds: float, now: float) -> float:
    while sent and sent[0] <= now - seconds:
        sent.popleft()
    return sent[0] + seconds - now if len(sent) >= limit else 0.0
