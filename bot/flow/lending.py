"""Which tool servers a chat has: the operator's, and those its skill brings along."""

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.chat import Chat
from bot.domain.server import ServerSpec
from bot.domain.skill import Skill, SkillServer
from bot.domain.variable import filled
from bot.ports.consents import Consents
from bot.ports.skills import Skills


class Lending:
    """The operator's servers need no consent; a skill's are allowed once an owner has said so."""

    def __init__(self, own: Sequence[ServerSpec], skills: Skills, consents: Consents) -> None:
        self._own = tuple(own)
        self._skills = skills
        self._consents = consents

    async def wanted(self, chat: Chat) -> Sequence[ServerSpec]:
        """The servers of a chat; the store is asked only for a skill that brings one along."""
        skill = self._skills.known.usable(chat.skill)
        if skill is None or not skill.servers:
            return self._own
        taken = {spec.name for spec in self._own}
        brought = [server_of(skill, each) for each in skill.servers if each.name not in taken]
        given = {consent.identity for consent in await self._consents.given()}
        return (*self._own, *(replace(s, allowed=s.identity in given) for s in brought))


def server_of(skill: Skill, server: SkillServer) -> ServerSpec:
    """A server as a skill declares it, with the skill's variables in its environment."""
    declared = {name: filled(value, skill.variables) for name, value in server.env.items()}
    return ServerSpec(
        name=server.name,
        command=server.command,
        url=server.url or "",
        env=tuple(sorted((dict(skill.environment) | declared).items())),
        folder=skill.folder,
        start_seconds=server.start_seconds,
        idle_seconds=server.idle_seconds,
        skill=skill.name,
        secrets=skill.secrets,
    )
