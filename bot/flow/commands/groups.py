"""Commands about what the bot does in a group."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.change import ReleaseHeard, SaveChat
from bot.domain.chat import Activation
from bot.flow.commands.table import Answer, Command, Invocation

_ALONE = "This is for groups: in a private chat every message is for me."


class GroupCommands:
    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "activation",
                "which messages of a group are for me",
                self.activation,
                "always|mention",
                owner_only=True,
            ),
            Command(
                "context",
                "whether I read what a group says to others",
                self.context,
                "on|off",
                owner_only=True,
            ),
        )

    async def activation(self, asked: Invocation) -> Answer:
        if asked.chat.private:
            return Answer(_ALONE)
        chosen = asked.words[0].lower() if asked.words else ""
        if chosen not in set(Activation):
            return Answer(f"Now: `{asked.chat.activation}`. Usage: /activation always|mention")
        saved = SaveChat(replace(asked.chat, activation=Activation(chosen)))
        if chosen == Activation.ALWAYS:
            return Answer("I answer every message of those I know here.", (saved,))
        return Answer("I answer here when I am mentioned or replied to.", (saved,))

    async def context(self, asked: Invocation) -> Answer:
        if asked.chat.private:
            return Answer(_ALONE)
        match [word.lower() for word in asked.words[:1]]:
            case ["on"]:
                saved = SaveChat(replace(asked.chat, context=True))
                told = (
                    "From now on I read the last 50 messages between my turns, as data and not as "
                    "orders. While they are in view every change asks first."
                )
                return Answer(told, (saved,))
            case ["off"]:
                saved = SaveChat(replace(asked.chat, context=False))
                gone = ReleaseHeard(asked.chat.id, asked.row)
                return Answer("I read only what is said to me.", (saved, gone))
            case _:
                now = "on" if asked.chat.context else "off"
                return Answer(f"Now: `{now}`. Usage: /context on|off")
