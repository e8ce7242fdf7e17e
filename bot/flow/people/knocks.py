"""The cards about strangers who wrote to the bot, and their end."""

from enum import StrEnum

from bot.domain.change import Show
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.message import Button, ButtonRows, Outbound, OutboundKind, Plain
from bot.domain.talk.person import Sender
from bot.domain.talk.reach import Level
from bot.domain.text.names import brief_name
from bot.domain.value import frozen, replace
from bot.flow.people.levels import TOLD
from bot.ports.outbox import Outbox

_KEY = "knock:"


class KnockVerb(StrEnum):
    """The answers of an owner."""

    LET_IN = "in"
    IGNORE = "no"


@frozen
class KnockButton:
    """The meaning of a button: the answer, and the account that it is about."""

    verb: KnockVerb
    channel: str
    number: str

    @property
    def account(self) -> str:
        return f"{self.channel}:{self.number}"


KNOCK_BUTTONS = ButtonCodec("k", KnockButton)


class Knocks:
    """The open cards; a card without the buttons of its question is decided."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    async def decided(
        self, account: str, verdict: str, buttons: ButtonRows = ()
    ) -> tuple[Show, ...]:
        """Returns the writes that end every open card about an account, in all chats of owners.

        Those about somebody who was let in have `buttons` that give more.
        """
        rows = await self._outbox.pressable(_KEY)
        return tuple(
            Show(row.key, row.chat, told(row.content, verdict, buttons))
            for row in rows
            if account_of_card(row.content) == account
        )


def admitted(sender: Sender) -> str:
    """Returns the verdict on a card about somebody who can use the bot now."""
    return f"✅ Let in to chat. {TOLD[Level.TALK]} /rights {sender.user_id} changes that."


def ignored(sender: Sender) -> str:
    """Returns the verdict on a card about somebody who gets no answers."""
    return f"Ignored. They get no answer. /allow {sender.user_id} lets them in after all."


def key_of(day: str, number: int, home: int) -> str:
    """Returns the outbound key of a card; `number` counts the strangers of a day."""
    return f"{_KEY}{day}:{number}:{home}"


def occasion_of(key: str) -> str | None:
    """Returns the day and the number of a card; None when the key is of something else."""
    if not key.startswith(_KEY):
        return None
    return key.removeprefix(_KEY).rpartition(":")[0]


def card_about(sender: Sender) -> Outbound:
    def button(label: str, verb: KnockVerb) -> Button:
        return KNOCK_BUTTONS.button(label, KnockButton(verb, sender.channel, sender.user_id))

    who = f"{brief_name(sender.name)} (number {sender.user_id})" if sender.name else sender.key
    asked = Plain(f"👋 {who} wants to use me.")
    wrote = Plain(
        f"They wrote to me on {sender.channel.title()}. I do not keep what strangers write, so I "
        "cannot show it."
    )
    means = Plain(
        "Let in to chat: they can chat with me. I ask you before anything that they want "
        "changed.\n"
        "Ignore: they get no answer, and I do not ask you about them again."
    )
    row = (button("✅ Let in to chat", KnockVerb.LET_IN), button("Ignore", KnockVerb.IGNORE))
    return Outbound(OutboundKind.CARD, (asked, wrote, means), (row,))


def told(content: Outbound, verdict: str, buttons: ButtonRows = ()) -> Outbound:
    """Returns a card with its verdict, without the buttons of the question."""
    return replace(content, blocks=(*content.blocks[:1], Plain(verdict)), buttons=buttons)


def account_of_card(content: Outbound) -> str | None:
    """Returns the account that an open card is about."""
    meant = (KNOCK_BUTTONS.read(button.data) for row in content.buttons for button in row)
    return next((one.account for one in meant if one is not None), None)
