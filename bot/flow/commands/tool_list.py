"""The command that lists the tools and tells which of them ask first."""

from collections.abc import Mapping, Sequence

from bot.domain.change import AddAudit, AllowServer, DropConsent
from bot.domain.consent.own_search import OwnSearch, decision, identity
from bot.domain.memory.note import REMEMBER
from bot.domain.money.provider import OWN_SEARCHES
from bot.domain.text.markdown import literal
from bot.domain.tools.house import WEB_SEARCH
from bot.domain.tools.server import ServerCondition
from bot.domain.tools.tool import Effect, ToolSpec
from bot.flow.commanding.choices import no_choice
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.models.own_searches import OwnSearches
from bot.flow.models.preamble import PreambleMaker
from bot.flow.models.tool_finding import FIND_TOOLS
from bot.ports.clock import Clock

_ASKS = {
    Effect.READ: "**Without asking**",
    Effect.WRITE: "**Asks first**",
    Effect.DANGER: "**Always asks**",
}
_LONGEST_LINE = 200
_MOST_NAMES = 20


class ToolCommands:
    def __init__(
        self,
        preamble: PreambleMaker,
        missing: Sequence[str],
        searches: OwnSearches,
        clock: Clock,
    ) -> None:
        """Takes a sentence for each tool that is `missing` and that a setting would add."""
        self._preamble = preamble
        self._searches = searches
        self._clock = clock
        self._missing = "\n".join(f"- {told}" for told in missing)

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "tools",
                "what I can do, and what asks first",
                self.tools,
                "[search on|off]",
                Topic.CONSENT,
            ),
        )

    async def tools(self, asked: Invocation) -> Answer:
        match asked.words:
            case ["search", "on" | "off" as word] if self._searches.known:
                return self._switched(asked, on=word == "on")
            case []:
                return await self._listed(asked)
            case _:
                return Answer(f"{no_choice(asked.words)}`/tools` lists what I can do.")

    def _switched(self, asked: Invocation, *, on: bool) -> Answer:
        """Switches the searches of all providers on or off, as an owner says."""
        if not asked.person.is_owner:
            return Answer("Only an owner can switch the search on or off.")
        now, known = self._clock.now(), self._searches.known
        if self._searches.set and not on:
            return Answer("The settings switch it on. Remove `STEWARD_SEARCH` there, and restart.")
        writes = [
            write
            for provider in known
            for write in (
                DropConsent(identity(provider, on=not on)),
                AllowServer(decision(provider, on=on, at=now)),
            )
        ]
        audit = AddAudit(now, asked.chat.id, asked.person.id, "search.switched", str(on), {})
        told = f"on: {_prices(known)}, on top of the tokens" if on else "off"
        return Answer(f"The search of the web is {told}.", (*writes, audit))

    async def _search_line(self) -> str:
        """Returns a line about the searches of providers; empty where there is none."""
        known, now = self._searches.known, await self._searches.now()
        if not known:
            return ""
        if on := {one: known[one] for one in known if one in now.on}:
            return f"- `{WEB_SEARCH}`: on, {_prices(on)}. `/tools search off` switches it off."
        how = f"`/tools search on` switches it on: {_prices(known)}."
        return f"- `{WEB_SEARCH}`: off. {how} `STEWARD_SEARCH` names another service."

    async def _listed(self, asked: Invocation) -> Answer:
        own = [spec for spec in self._preamble.house if not (spec.hosted or spec.switches)]
        parts = [_by_effect("", own)]
        if line := await self._search_line():
            parts.append(f"**Search of the web**\n{line}")
        parts += [f"**Not set up**\n{self._missing}"] if self._missing else []
        for server in await self._preamble.servers(asked.chat):
            left_out = "\n".join(f"- not offered, {why}" for why in server.left_out)
            parts.append(_by_effect(_server_line(server), server.tools))
            parts.append(left_out)
        if hidden := await self._preamble.hidden(asked.chat):
            parts.append(
                f"Left out of the model's list, which has no room: {len(hidden)} tools. "
                f"It finds them with `{FIND_TOOLS}`: {_names(hidden)}"
            )
        return Answer("\n\n".join(part for part in parts if part))


def _prices(known: Mapping[str, OwnSearch]) -> str:
    """Returns who searches, and for how much: “by Claude, $10 for 1,000 searches”."""
    return " or ".join(f"by {OWN_SEARCHES[one]}, {search.price}" for one, search in known.items())


def _by_effect(head: str, specs: Sequence[ToolSpec]) -> str:
    parts = [head]
    for effect, told in _ASKS.items():
        lines = [_tool_line(spec) for spec in specs if _asks(spec) is effect]
        parts.append("\n".join([told, *lines]) if lines else "")
    return "\n\n".join(part for part in parts if part)


def _asks(spec: ToolSpec) -> Effect:
    """Returns how a tool asks as a rule: a note is taken unasked, and can be undone."""
    return Effect.READ if spec.name == REMEMBER else spec.effect


def _tool_line(spec: ToolSpec) -> str:
    told = spec.summary or literal(_first_sentence(spec.description))
    return f"- `{spec.name}`: {told}" if told else f"- `{spec.name}`"


def _server_line(server: ServerCondition) -> str:
    spec = server.spec
    whose = f" of the skill {spec.skill}" if spec.skill else ""
    return f"The tool server `{spec.name}`{whose}: {server.state}"


def _names(specs: Sequence[ToolSpec]) -> str:
    shown = ", ".join(f"`{spec.name}`" for spec in specs[:_MOST_NAMES])
    rest = len(specs) - _MOST_NAMES
    return f"{shown} and {rest} more" if rest > 0 else shown


def _first_sentence(text: str) -> str:
    return " ".join(text.partition(". ")[0].split()).rstrip(".")[:_LONGEST_LINE]
