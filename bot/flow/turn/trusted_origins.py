"""Takes the mark from what comes from an origin that its asker, an owner, trusts in this chat."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.consent.rules import trusted_origins
from bot.domain.tools.tool import ToolResult
from bot.ports.approvals import Rules
from bot.ports.people import People
from bot.ports.tool import Place


class TrustedOrigins:
    """Looks anew each time, so that what an owner takes back ends with the next result."""

    def __init__(self, rules: Rules, people: People) -> None:
        self._rules = rules
        self._people = people

    async def judged(self, results: Sequence[ToolResult], place: Place) -> Sequence[ToolResult]:
        """Returns the results; one of a trusted origin stays quoted, and is foreign no more."""
        if not any(result.untrusted and result.origin for result in results):
            return results
        person = await self._people.get(place.person)
        if person is None or not person.is_owner:
            return results
        trusted = trusted_origins(await self._rules.of(place.person, place.chat))
        return [
            replace(one, untrusted=None, trusted=one.untrusted, trusted_by=place.person)
            if one.untrusted and one.origin in trusted
            else one
            for one in results
        ]
