"""The addresses in a log that no model composed beside foreign text, each with its writers."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.web_address import WebAddress, links_in, named_in, read_address
from bot.domain.tools.house import WEB_TOOLS
from bot.domain.tools.tool import Status, ToolResult
from bot.domain.turn.transcript import AskerBody, Entry, LateResultBody, ReplyBody, ResultBody

_MOST = 50_000
"""Addresses that are kept of one log; later ones are not known, so they ask."""

_EVERYBODY = None


class KnownAddresses:
    """Knows exact addresses: one that differs in any sign is another one.

    A private place is known only from the words of the person who asks, or of an owner: a page must
    not lead into the network of this machine.
    """

    def __init__(self) -> None:
        self._links: set[str] = set()
        self._fetched: set[str] = set()
        self._own: defaultdict[str, set[int | None]] = defaultdict(set)

    @property
    def links(self) -> Collection[str]:
        """Returns the targets that the words of a link may hide, each as a link has it."""
        return self._links

    def take(self, entry: Entry) -> None:
        """Takes the addresses of an entry whose words count."""
        if isinstance(asked := entry.body, AskerBody):
            writer = _EVERYBODY if asked.governs else asked.person
            for address in _read(asked.own):
                self._learn(address, own=True)
                self._own[str(address)].add(writer)
        if isinstance(asked, AskerBody) and asked.only is not None:
            self._take(_read(asked.only))
            return
        for text in texts_of(entry):
            self._take(named_in(text))

    def may_fetch(self, text: str, person: int, private: Collection[str]) -> bool:
        """Returns True for an address that may be fetched unasked for this person.

        `private` are places, as in 127.0.0.1:80, that only the words of a person make known.
        """
        try:
            address = read_address(text)
        except ToolFailure:
            return False
        # A host in other letters may be another spelling of one of the places.
        doubtful = bool(private) and not address.host.isascii()
        if address.private or address.place in private or doubtful:
            return not self._own.get(str(address), set()).isdisjoint({person, _EVERYBODY})
        return str(address) in self._fetched

    def among(self, text: str) -> tuple[str, ...]:
        """Returns the known addresses that a text names, each as a link has it."""
        return tuple(link for link in links_in(text) if link in self._links)

    def _take(self, named: Iterable[WebAddress]) -> None:
        for address in named:
            if len(self._links) >= _MOST:
                return
            self._learn(address, own=False)

    def _learn(self, address: WebAddress, *, own: bool) -> None:
        if own or not address.private:
            self._fetched.add(str(address))
            self._links.add(address.link)


def texts_of(entry: Entry) -> Iterator[str]:
    """Yields the texts of an entry that somebody else than the model wrote, or a person."""
    match entry.body:
        case AskerBody(text=text):
            yield text
        case ReplyBody() as reply:
            yield from (part.text for part in reply.looked_up)
        case ResultBody(result=result) if _of_the_web(result):
            yield result.text
        case LateResultBody(result=ToolResult() as result, text=text) if _of_the_web(result):
            yield text
        case _:
            pass


def _read(links: Iterable[str]) -> Iterator[WebAddress]:
    for link in links:
        try:
            yield read_address(link)
        except ToolFailure:
            continue


def _of_the_web(result: ToolResult) -> bool:
    return result.tool in WEB_TOOLS and result.status is Status.SUCCESS
