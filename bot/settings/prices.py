"""Finds prices of models in use that were looked up long ago."""

from collections.abc import Mapping
from datetime import date

from bot.domain.turn.tier import Tier
from bot.settings.sections import Settings


def old_prices(settings: Settings, today: date) -> Mapping[str, str]:
    """Returns the days of the prices that are older than a year, by the model's name.

    Only models count that the settings name: nobody pays for the others.
    """
    policy = settings.policy
    tiers = [policy.tiers.model(tier) for tier in Tier]
    named = (policy.model, *policy.fallback_models, *tiers, *policy.offered)
    prices = {
        name: traits.price for name in named if (traits := settings.models.get(name)) is not None
    }
    embedder = settings.meaning
    if embedder.model is not None:
        prices[embedder.model] = embedder.price
    return {
        name: price.dated
        for name, price in prices.items()
        if price is not None and price.is_old(today)
    }
