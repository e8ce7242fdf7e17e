"""The searches of the web that the models' own providers make: which are on, and which may ask."""

from collections.abc import Mapping, Sequence

from bot.domain.consent.own_search import OwnSearch, Searches, searches_of
from bot.domain.money.model import ModelProfile
from bot.domain.talk.person import Person
from bot.domain.tools.house import WEB_SEARCH
from bot.domain.tools.tool import ToolSpec
from bot.ports.consents import Consents


class OwnSearches:
    """Knows what the settings and owners said about each provider that could search."""

    def __init__(self, consents: Consents, known: Mapping[str, OwnSearch]) -> None:
        """Takes what is known of the searches, by their providers."""
        self._consents = consents
        self.known = known

    @property
    def set(self) -> frozenset[str]:
        """Returns the providers that the settings switch on."""
        return frozenset(provider for provider, one in self.known.items() if one.on)

    async def now(self) -> Searches:
        if not self.known:
            return Searches()
        kept = searches_of(await self._consents.given())
        return Searches(kept.on | self.set, kept.decided | self.set)

    async def offered(
        self,
        specs: Sequence[ToolSpec],
        profile: ModelProfile,
        asker: Person | None,
        *,
        watched: bool,
    ) -> tuple[ToolSpec, ...]:
        """Returns the tools of a request; nobody is asked before a provider runs a hosted one.

        The tool that asks to switch a search on is offered while somebody is there, until an owner
        has decided.
        """
        if not any(spec.hosted or spec.switches for spec in specs):
            return tuple(specs)
        may = asker is not None and not asker.effective_rights.refusal(WEB_SEARCH)
        provider = profile.provider if profile.searches and may else ""
        now = await self.now()

        def kept(spec: ToolSpec) -> bool:
            if spec.switches:
                return watched and spec.switches == provider and provider not in now.decided
            return not spec.hosted or (provider in spec.hosted and provider in now.on)

        return tuple(filter(kept, specs))
