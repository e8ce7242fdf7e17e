"""Chooses the model of a turn: by the chat's choice, by a tier, or by the wish of a skill."""

from collections.abc import Sequence

from bot.domain.money.model import ModelProfile
from bot.domain.money.money import Nano
from bot.domain.talk.errors import ModelDenied
from bot.domain.turn.tier import Tier, Tiers, raised, tier_of
from bot.domain.turn.transcript import ReplyBody
from bot.domain.turn.turn import Way
from bot.domain.value import field, frozen
from bot.flow.log.work import Work
from bot.flow.models.breakers import Away
from bot.flow.models.looking_up import LookedUp, looked_up
from bot.flow.models.model_calls import ModelCalls
from bot.ports.skills import Skills


@frozen
class ModelOffer:
    """The models that the settings name."""

    default: str
    """The model that chats begin with."""
    fallbacks: Sequence[str] = ()
    """Models that take over when one stays away, in this order."""
    tiers: Tiers = field(default_factory=Tiers)
    """The model of each tier."""
    others: Sequence[str] = ()
    """Further models that a person may want to choose."""


def _another_try(work: Work) -> bool:
    """Returns True for a turn whose model a person chose by a button below the last end."""
    return work.turn.way is Way.AGAIN


@frozen
class Choosing:
    """Knows the models on offer; what a chat chose is a model, a tier, or nothing."""

    _models: ModelCalls
    _skills: Skills
    _offer: ModelOffer

    @property
    def default(self) -> str:
        return self._offer.default

    @property
    def providers(self) -> tuple[str, ...]:
        return self._models.providers

    def knows(self, model: str) -> bool:
        return self._models.knows(model)

    def meant(self, words: str) -> str:
        """Returns the model that is offered by this name, or by a part of it that no other has.

        Words that name none, or more than one, are returned as they are.
        """
        if self.knows(words):
            return words
        wanted, offered = words.lower(), self.offered()
        names = {model: model.partition("/")[2].lower() for model in offered}
        exact = [model for model in offered if names[model] == wanted]
        found = exact or [model for model in offered if wanted and wanted in names[model]]
        return found[0] if len(found) == 1 else words

    async def looked_up(self, model: str) -> LookedUp:
        """Asks the provider for a model, unless a setting names it."""
        if model in self.offered():
            return LookedUp(exists=True)
        return await looked_up(self._models.behind(model), model.partition("/")[2])

    def offered(self) -> tuple[str, ...]:
        """Returns every model of the settings whose provider is set up, the default one first."""
        offer = self._offer
        tiers = [offer.tiers.model(tier) for tier in Tier]
        named = dict.fromkeys((offer.default, *offer.fallbacks, *tiers, *offer.others))
        return tuple(model for model in named if self.knows(model))

    def profile(self, model: str) -> ModelProfile:
        return self._models.profile(model)

    def cost(self, reply: ReplyBody) -> Nano | None:
        """Returns the price of a reply; None when it, or the number of its tokens, is not known."""
        origin, used = reply.provenance, reply.usage
        try:
            profile = self.profile(f"{origin.provider}/{origin.requested_model}")
        except ModelDenied:
            return None  # its provider is not set up any more
        counted = used.told or profile.price is None or profile.price.free
        return profile.cost(used) if counted else None

    def away(self) -> Sequence[Away]:
        """Returns the models that do not answer at present."""
        return self._models.breakers.all_away()

    def of_tier(self, tier: Tier) -> str:
        """Returns the model of a tier; the default one when the tier's provider is not set up."""
        model = self._offer.tiers.model(tier)
        return model if self.knows(model) else self._offer.default

    def model(self, chosen: str | None) -> str:
        """Returns the model for what a chat chose."""
        tier = tier_of(chosen)
        return self.of_tier(tier) if tier is not None else chosen or self._offer.default

    def tiered(self, work: Work) -> tuple[str, str]:
        """Returns the model that a tier gives to the next round, and why; empty without a tier.

        A person who chose a model gets this model. It is computed from the log alone, so a turn
        that is taken up again goes on with the same one.
        """
        chosen = work.log.chat.settings.model
        tier = tier_of(chosen)
        if _another_try(work) or (chosen is not None and tier is None):
            return "", ""
        skill = self._skills.known.usable(work.turn.skill)
        wish = tier_of(skill.model_tier) if skill is not None else None
        tier = wish or tier
        if tier is None:
            return "", ""
        why = f"{tier.value}, as the skill wishes" if wish is not None else tier.value
        if tier is not Tier.DEEP and self._offer.tiers.raises:
            reason = raised(work.log.entries(work.turn.id))
            if reason:
                tier, why = Tier.DEEP, f"raised to deep for {reason}"
        return self.of_tier(tier), why

    def took_over(self, work: Work) -> str:
        """Returns the model in whose place a fallback gave the newest reply; empty without one."""
        reply = work.progress.reply
        if reply is None or _another_try(work):
            return ""
        told = reply.provenance
        answered = f"{told.provider}/{told.requested_model}"
        wanted = self.tiered(work)[0] or self.model(work.log.chat.settings.model)
        return wanted if answered != wanted and answered in self._offer.fallbacks else ""
