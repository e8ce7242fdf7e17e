"""The commands that show and choose the model of a chat, by its name or by its tier."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from bot.domain.change import SaveSettings, Write
from bot.domain.money.model import Price
from bot.domain.talk.message import ButtonRows
from bot.domain.text.markdown import inline_code
from bot.domain.turn.tier import Tier, tier_of
from bot.flow.commanding.choices import choice, no_choice
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.models.choosing import Choosing

_MEANT = {
    Tier.FAST: "small things, the cheapest",
    Tier.BALANCED: "most things",
    Tier.DEEP: "code and hard questions, the most expensive",
}


_UNCHECKED = "I could not check this name; `/model default` goes back."
_PRICES = "Prices: US dollars for a million tokens in / out"


class ModelCommands:
    """Chooses models and tiers; prices are dollars for a million tokens in and out."""

    def __init__(self, choosing: Choosing) -> None:
        self._choosing = choosing

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "model",
                "show or choose the model",
                self.model,
                "[provider/name|default]",
                Topic.SETTINGS,
                chosen=True,
            ),
            Command(
                "tier",
                "use a fast, a balanced or a deep model",
                self.tier,
                "[fast|balanced|deep|off]",
                Topic.SETTINGS,
                chosen=True,
            ),
        )

    async def model(self, asked: Invocation) -> Answer:
        default = self._choosing.default
        if not asked.words:
            current = self._choosing.model(asked.chat.settings.model)
            tier = tier_of(asked.chat.settings.model)
            by = f" (tier {tier.value})" if tier is not None else ""
            others = [one for one in self._choosing.offered() if one != current]
            lines = [f"- {inline_code(f'/model {one}')}{self._paid(one)}" for one in others]
            head = f"This chat uses {inline_code(current)}{by}{self._paid(current)}."
            back = f"- `/model default`: back to {inline_code(default)}"
            told = "\n".join([head, *lines, back, "", self._prices((current, *others))])
            return _offered(told, self._models(current))
        wanted = asked.words[0]
        if wanted == "default":
            saved = SaveSettings(asked.chat, replace(asked.chat.settings, model=None))
            told = f"Back to {inline_code(default)}."
            return _offered(told, self._models(default), saved)
        wanted = self._choosing.meant(wanted)
        if not self._choosing.knows(wanted):
            known = " or ".join(inline_code(f"{name}/") for name in self._choosing.providers)
            told = f"There is no model {inline_code(wanted[:60])} here."
            return Answer(f"{told} A name begins with {known}; /model shows some.")
        found = await self._choosing.looked_up(wanted)
        if found.exists is False:
            return self._refused(wanted, found.near)
        saved = SaveSettings(asked.chat, replace(asked.chat.settings, model=wanted))
        told = f"From your next message on: {inline_code(wanted)}."
        if found.exists is None:
            told = f"{told} {_UNCHECKED}"
        return _offered(told, self._models(wanted), saved)

    def _refused(self, wanted: str, near: Sequence[str]) -> Answer:
        """Answers a name that the provider does not have, with the near ones as buttons."""
        provider, _, name = wanted.partition("/")
        told = f"{provider} has no model {inline_code(name[:60])}, so nothing was changed."
        names = [f"{provider}/{one}" for one in near]
        if not names:
            return Answer(f"{told} /model shows some names.")
        lines = [f"- {inline_code(f'/model {one}')}{self._paid(one)}" for one in names]
        rows = [choice(one.partition("/")[2], "model", one) for one in names]
        buttons = tuple(row for row in rows if row)
        return _offered("\n".join([f"{told} Did you mean:", "", *lines]), buttons)

    async def tier(self, asked: Invocation) -> Answer:
        chosen = asked.words[0].lower() if asked.words else ""
        now = tier_of(asked.chat.settings.model)
        if chosen == "off":
            model = None if now is not None else asked.chat.settings.model
            told = f"No tier: this chat uses {inline_code(self._choosing.model(model))}."
            saved = SaveSettings(asked.chat, replace(asked.chat.settings, model=model))
            return _offered(told, self._tiers(None), saved)
        wanted = tier_of(chosen)
        if wanted is None:
            lines = [self._line(tier) for tier in Tier]
            head = (
                f"The tier here is {now.value}." if now is not None else "No tier is chosen here."
            )
            prices = self._prices([self._choosing.of_tier(tier) for tier in Tier])
            after = f"Code, stack traces and repeated failures go to deep by themselves. {prices}"
            told = f"{no_choice(asked.words)}{head}"
            return _offered("\n".join([told, *lines, "", after]), self._tiers(now))
        saved = SaveSettings(asked.chat, replace(asked.chat.settings, model=wanted.value))
        model = inline_code(self._choosing.of_tier(wanted))
        told = f"From your next message on: {wanted.value}, that is {model}."
        return _offered(told, self._tiers(wanted), saved)

    def _line(self, tier: Tier) -> str:
        model = self._choosing.of_tier(tier)
        return f"- `/tier {tier.value}`: {_MEANT[tier]}; {inline_code(model)}{self._paid(model)}"

    def _models(self, now: str) -> ButtonRows:
        names = dict.fromkeys((*self._choosing.offered(), now))
        # Without the provider a label fits on a phone; the text above it has the whole name.
        short = Counter(name.partition("/")[2] for name in names)
        labels = {n: m if short[m := n.partition("/")[2]] == 1 else n for n in names}
        rows = [
            choice(f"{label}{self._paid(name)}", "model", name, now=name == now)
            for name, label in labels.items()
        ]
        return tuple(row for row in rows if row)

    def _tiers(self, now: Tier | None) -> ButtonRows:
        tiers = [choice(tier.value.title(), "tier", tier, now=tier is now) for tier in Tier]
        return (
            tuple(button for row in tiers for button in row),
            choice("Off", "tier", "off", now=now is None),
        )

    def _paid(self, model: str) -> str:
        price = self._price(model)
        return "" if price is None else f" · {_dollars(price)}"

    def _price(self, model: str) -> Price | None:
        return self._choosing.profile(model).price if self._choosing.knows(model) else None

    def _prices(self, models: Sequence[str]) -> str:
        """Returns the unit of the prices of these models, and when they were looked up."""
        found = [price for model in models if (price := self._price(model)) is not None]
        days = sorted({price.dated for price in found if price.dated})
        if not days:
            return f"{_PRICES}."
        when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
        return f"{_PRICES}, looked up {when}."


def _offered(told: str, buttons: ButtonRows, *writes: Write) -> Answer:
    # Names of models are long to type, so a terminal offers keys as well.
    return Answer(told, writes, buttons=buttons, optional=True)


def _dollars(price: Price) -> str:
    free = not (price.input or price.output)
    return "free" if free else f"${_plain(price.input)} / ${_plain(price.output)}"


def _plain(dollars: Decimal) -> str:
    """Returns whole dollars without cents, and a part of a dollar with two digits or more."""
    whole, _, cents = f"{dollars.normalize():f}".partition(".")
    return f"{whole}.{cents:0<2}" if cents else whole
