"""Standing rules that a question names: cards that they cover are approved."""

from collections.abc import Collection, Sequence

from bot.adapters.sql.store import Store
from bot.adapters.terminal.update import NAME, folder_of
from bot.domain.consent.approval import Rule
from bot.domain.consent.consent import difference, of_rule
from bot.domain.talk.errors import SettingError
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role, Sender
from bot.domain.tools.tool import ExactRule, OriginRule

_MOST_CHATS = 200
_UNKNOWN = "You have no rule “{name}” in this folder. /rules in `steward chat` lists your rules."


class NamedRules:
    """The rules of a person in terminals about one folder, by the words that `/rules` shows."""

    def __init__(
        self, store: Store, documents: frozenset[str], address: Address, sender: Sender
    ) -> None:
        self._store = store
        self._documents = documents
        self._address = address
        self._sender = sender

    async def check(self, names: Collection[str]) -> None:
        """Raises SettingError for a name that no rule has."""
        rules = await self._rules() if names else ()
        for name in names:
            if not any(_is_called(rule, name) for rule in rules):
                raise SettingError(_UNKNOWN.format(name=name[:80]))

    async def cover(self, data: str, names: Collection[str]) -> bool:
        """Tells if a named rule covers exactly the call of the card with this button.

        After a text that the person did not write, only a rule for exactly this call does: a wider
        one would let the text choose what is done.
        """
        chat = await self._store.chats.at(self._address, private=True)
        cards = await self._store.approvals.open_in(chat.id)
        card = next((one for one in cards if one.token in data.split(":")), None)
        if card is None or card.kind != "call":
            return False
        paused = card.preview.always is None and card.preview.wider is None
        named = [
            rule
            for rule in await self._rules()
            if any(_is_called(rule, name) for name in names)
            and (isinstance(rule.pattern, ExactRule) or not paused)
        ]
        return any(
            difference(of_rule(rule), card.call, card.preview, documents=self._documents) is None
            for rule in named
        )

    async def _rules(self) -> Sequence[Rule]:
        person = await self._store.people.admit(self._sender, Role.OWNER)
        about, found = folder_of(self._address), list[Rule]()
        for address in await self._store.chats.of_channel(NAME, limit=_MOST_CHATS):
            if folder_of(address) == about:
                chat = await self._store.chats.at(address, private=True)
                found += await self._store.rules.of(person.id, chat.id)
        return [rule for rule in found if not isinstance(rule.pattern, OriginRule)]


def _is_called(rule: Rule, name: str) -> bool:
    return name.strip() in (rule.label, rule.label.replace("`", ""))
