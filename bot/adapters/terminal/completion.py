"""Completes commands and the fixed words that may follow them."""

from collections.abc import Callable, Iterable, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from bot.adapters.terminal.known_command import KnownCommand


class Commands(Completer):
    """Completes a line that begins with a slash; any other line stays as it is."""

    def __init__(self, known: Callable[[], Sequence[KnownCommand]]) -> None:
        self._known = known

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        text = document.text_before_cursor
        if not text.startswith("/") or "\n" in text:
            return
        name, space, rest = text[1:].partition(" ")
        if not space:
            for offer in self._known():
                if offer.name.startswith(name.lower()):
                    # The line beside a name is shown as it is, so marks of Markdown stay away.
                    told = offer.summary.replace("`", "")
                    yield Completion(f"/{offer.name}", -len(text), display_meta=told)
            return
        begun = rest.rpartition(" ")[2]
        found = next((offer for offer in self._known() if offer.name == name.lower()), None)
        for word in found.words if found else ():
            if word.startswith(begun.lower()) and word != begun:
                yield Completion(word, -len(begun))
