"""Commands that branch a conversation, name it, and open another one again."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from bot.domain.change import SaveConversation
from bot.domain.clock.zones import Zones
from bot.domain.talk.chat import ListedConversation
from bot.domain.talk.message import Button
from bot.domain.text.markdown import literal
from bot.domain.text.names import cited_name
from bot.domain.text.visible_text import one_line
from bot.domain.value import frozen, replace
from bot.flow.commanding.choices import choice
from bot.flow.commanding.pages import turning
from bot.flow.commanding.table import Answer, Command, Invocation
from bot.flow.log.fresh_start import branched, reopened
from bot.ports.chats import ConversationRows
from bot.ports.clock import Clock
from bot.ports.journal import Agenda, Journal

_LISTED = 8
_MOST_DIGITS = 6
_LONGEST_TITLE = 80
_SHOWN = 60
_ON_A_BUTTON = 32
_PAGE = "page"
_LIST = "conversations"
_BRANCH, _BACK = "↳", "◂ Back to “{}”"
_UNTITLED = "untitled"
_NOTHING_SAID = "Nothing was said in this conversation yet, so there is nothing to branch off."
_BUSY = "Your last message is not done yet. /stop ends it; then you can leave this conversation."
_PLANNED = (
    "A plan is open here. End it first with /plan cancel; then you can leave this conversation."
)
_CARD = (
    "A card in this conversation is waiting for a decision. /approvals shows it; after it is "
    "decided you can leave this conversation."
)
_UNKNOWN = "There is no such conversation here. /conversations lists them."


@frozen
class ConversationCommands:
    """Branches, titles, and the list of the conversations of a chat."""

    _journal: Journal
    _chats: ConversationRows
    _zones: Zones
    _clock: Clock

    @property
    def table(self) -> Sequence[Command]:
        listed = "open an earlier conversation of this chat again"
        return (
            Command("branch", "go on in a copy of this conversation", self.branch, "[name]"),
            Command(_LIST, listed, self.conversations, chosen=True),
            Command("title", "name this conversation", self.title, "<text>"),
        )

    async def branch(self, asked: Invocation) -> Answer:
        """Opens a conversation that shares the past of this one, up to its present end."""
        agenda = await self._journal.agenda(asked.chat.id)
        current = await self._chats.conversation(asked.chat.id, agenda.chat.conversation)
        if current is None or not await self._journal.entries(current.id):
            return Answer(_NOTHING_SAID)
        if why := _hindrance(agenda):
            return Answer(why)
        shown = await self._chats.listing(asked.chat.id, current.id)
        new, writes = branched(agenda.chat, current, _given(asked), self._clock.now())
        name = f", {literal(cited_name(new.title))}" if new.title else ""
        told = (
            f"From here on we talk in a copy of this conversation{name}. The first one stays as it "
            "is. /conversations lists both."
        )
        back = () if shown is None else choice(_label(shown, _BACK), _LIST, current.id)
        return Answer(told, writes, buttons=(back,) if back else (), optional=True)

    async def title(self, asked: Invocation) -> Answer:
        """Names the conversation; people see the name in the list."""
        chat, title = asked.chat, _given(asked)
        current = await self._chats.conversation(chat.id, chat.conversation)
        if current is None or not title:
            known = current.title if current else ""
            now = f"It is called {literal(cited_name(known))}. " if known else ""
            return Answer(f"{now}`/title <text>` names this conversation.")
        told = f"This conversation is called {literal(cited_name(title))}."
        # The button names the conversation, so that the name is erased with it.
        listed = choice("All conversations", _LIST, current.id)
        saved = SaveConversation(replace(current, title=title))
        return Answer(told, (saved,), buttons=(listed,), optional=True)

    async def conversations(self, asked: Invocation) -> Answer:
        match asked.words:
            case ():
                return await self._list(asked)
            case (word, page) if word == _PAGE and page.isdecimal():
                return await self._list(asked, max(int(page[:_MOST_DIGITS]), 1))
            case (id,):
                return await self._open(asked, id)
            case _:
                return Answer(_UNKNOWN)

    async def _open(self, asked: Invocation, id: str) -> Answer:
        """Opens a conversation where it ended; for the open one it shows the list."""
        chat = asked.chat.id
        wanted = await self._chats.listing(chat, id)
        if wanted is None:
            return Answer(_UNKNOWN)
        agenda = await self._journal.agenda(chat)
        now = agenda.chat.conversation
        if now == id:
            return await self._list(asked)
        if why := _hindrance(agenda):
            return Answer(why)
        current = await self._chats.listing(chat, now)
        writes = reopened(
            agenda.chat,
            None if current is None else current.conversation,
            wanted.conversation,
            self._clock.now(),
        )
        back = () if current is None else choice(_label(current, _BACK), _LIST, now)
        every = choice("All conversations", _LIST, _PAGE, "1")
        told = f"**{literal(_name(wanted))}** is open again. It goes on where it ended."
        return Answer(told, writes, buttons=tuple(filter(None, (back, every))), optional=True)

    async def _list(self, asked: Invocation, page: int = 1) -> Answer:
        """Lists a page: the open conversation first, then the one that was left last."""
        found = await self._chats.listed(asked.chat.id, _LISTED + 1, (page - 1) * _LISTED)
        if not found:
            return Answer("There are no older conversations.")
        more, shown = len(found) > _LISTED, found[:_LISTED]
        zone = self._zones.of(asked.person, asked.chat)
        now = self._clock.now()
        lines: list[str] = []
        rows: list[tuple[Button, ...]] = []
        for one in shown:
            now_open = one.conversation.id == asked.chat.conversation
            stands = " · open now" if now_open else ""
            at = (one.conversation.closed_at or now).astimezone(ZoneInfo(zone))
            lines.append(f"- {literal(_name(one))} · {at:%Y-%m-%d %H:%M}{stands}")
            rows.append(choice(_label(one), _LIST, one.conversation.id, now=now_open))
        which = f", page {page}" if more or page > 1 else ""
        told = "\n".join([f"Conversations of this chat{which}, the latest first:", "", *lines])
        return Answer(told, buttons=(*rows, *turning(page, _LIST, _PAGE, more=more)), optional=True)


def _given(asked: Invocation) -> str:
    """Returns the name that a person typed, on one line."""
    return one_line(" ".join(asked.words), _LONGEST_TITLE)


def _hindrance(agenda: Agenda) -> str:
    """Returns why the chat cannot leave its conversation now; empty when it can.

    A turn, a message, a plan or a card belongs to the conversation that it came in.
    """
    if agenda.unfinished or agenda.queued or agenda.waiting:
        return _BUSY
    if agenda.plan is not None:
        return _PLANNED
    return _CARD if agenda.cards_open else ""


def _name(one: ListedConversation) -> str:
    """Returns the title of a conversation, or its first words; those of a branch are marked."""
    given = one.conversation.title
    if given:
        return one_line(given, _SHOWN)
    begins = one_line(" ".join(one.begins.split()), _SHOWN) or _UNTITLED
    return begins if one.conversation.parent is None else f"{_BRANCH} {begins}"


def _label(one: ListedConversation, form: str = "{}") -> str:
    return form.format(one_line(_name(one), _ON_A_BUTTON - len(form)))
