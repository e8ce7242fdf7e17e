"""The offer of a card: the standing rules that the skill in use asks for."""

from collections.abc import Mapping

from bot.domain.consent.consent import Consent, difference
from bot.domain.consent.grant import COMMANDS, asked_rules
from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import InvalidArguments, ToolFailure
from bot.domain.tools.tool import AskedRule, Effect, Offer, Preview, ToolCall
from bot.ports.tool import Place, Tool

_SAMPLE = {"command": "pwd"}
"""A command that only reads: where it may have no rule, no command may."""


async def offer_of(
    skill: Skill,
    call: ToolCall,
    preview: Preview,
    place: Place,
    tools: Mapping[str, Tool],
    documents: frozenset[str],
) -> Offer | None:
    """Returns the offer of a card; None when a person could give none of the rules here."""
    asked = [
        (tool, pattern)
        for tool, pattern in asked_rules(skill.pre_approved)
        if tool in tools and skill.allows(tool)
    ]
    sample: Preview | None = None
    if any(tool == COMMANDS for tool, _ in asked):
        sample = await _sample(tools[COMMANDS], place)
    rules: list[AskedRule] = []
    for tool, pattern in asked:
        if tool != COMMANDS:
            rules.append(AskedRule(tool, pattern))
        elif sample is not None:
            rules.append(AskedRule(tool, pattern, sample.surroundings))
    if not rules:
        return None
    where = sample.where if sample is not None else ""
    covers = any(_covers(rule, call, preview, documents) for rule in rules)
    return Offer(skill.edition, skill.name, tuple(rules), covers, where)


async def _sample(tool: Tool, place: Place) -> Preview | None:
    """Returns the preview of a harmless command; None where no rule for commands counts."""
    try:
        seen = await tool.preview(_SAMPLE, place)
    except (InvalidArguments, ToolFailure):
        return None
    return seen if seen.effect is Effect.WRITE and seen.always is not None else None


def _covers(rule: AskedRule, call: ToolCall, preview: Preview, documents: frozenset[str]) -> bool:
    if preview.effect is not Effect.WRITE or preview.always is None:
        return False
    kept = Consent(rule.tool, rule.pattern, rule.surroundings)
    return difference(kept, call, preview, documents=documents) is None
