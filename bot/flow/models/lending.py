"""Lists the tool servers: those of the operator, and those that skills bring along."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.skills.skill import Skill, SkillServer
from bot.domain.tools.server import ServerSpec
from bot.domain.tools.variable import filled, rendered
from bot.ports.consents import Consents
from bot.ports.skills import Skills


class Lending:
    """Lists servers; the operator's need no consent, and a skill's need the consent of an owner."""

    def __init__(self, own: Sequence[ServerSpec], skills: Skills, consents: Consents) -> None:
        self.own = tuple(own)
        self._skills = skills
        self._consents = consents

    async def wanted(self, skills: Sequence[str]) -> Sequence[ServerSpec]:
        """Returns the servers under these skills; if two have the same name, the first one counts.

        The store is read only when a skill brings a server along.
        """
        own = {spec.name for spec in self.own}
        brought: dict[str, ServerSpec] = {}
        for skill in filter(None, map(self._skills.known.usable, skills)):
            for each in skill.servers:
                if each.name not in own | brought.keys():
                    brought[each.name] = server_of(skill, each)
        if not brought:
            return self.own
        given = {consent.identity for consent in await self._consents.given()}
        allowed = (replace(s, allowed=s.identity in given) for s in brought.values())
        return (*self.own, *allowed)


def server_of(skill: Skill, server: SkillServer) -> ServerSpec:
    """Returns a server as a skill declares it, with the skill's variables filled in."""
    own = skill.variables
    declared = {name: filled(value, own) for name, value in server.env.items()}
    told = {v.name: rendered(f"{{{{{v.name}}}}}", own) for v in own if v.name in skill.environment}
    told |= {name: rendered(value, own) for name, value in server.env.items()}
    return ServerSpec(
        name=server.name,
        command=tuple(rendered(word, own) for word in server.command),
        url=rendered(server.url or "", own),
        env=tuple(sorted((dict(skill.environment) | declared).items())),
        folder=skill.folder,
        start_seconds=server.start_seconds,
        idle_seconds=server.idle_seconds,
        skill=skill.name,
        told_env=tuple(sorted(told.items())),
        secrets=skill.secrets,
    )
