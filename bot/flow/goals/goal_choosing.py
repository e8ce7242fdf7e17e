"""The goal that a command is about: its id, its number in the list, or the only one it can mean."""

import re
from collections.abc import Sequence

from bot.domain.assignments.goal import Goal, GoalState
from bot.domain.text.markdown import inline_code, item
from bot.domain.text.names import named
from bot.domain.value import frozen
from bot.flow.commanding.table import Answer
from bot.ports.goals import GoalRows

_ID = re.compile(r"[0-9a-f]{8}")
_LOOKED_AT = 100
"""Goals of a chat among which the only one is looked for."""

_OFFERED = 10
_MOST_DIGITS = 4
_ANSWER = "answer"
_ALONE = frozenset({"limit", "pace", "pause", "resume", "run", _ANSWER})
"""Verbs that need no name where a command can mean only one goal."""


@frozen
class ChosenGoal:
    goal: Goal
    by_number: bool
    """True when a number of the list names it, which names another goal once the list changed."""
    rest: Sequence[str]
    """The words behind those that name it."""


class GoalChoosing:
    def __init__(self, goals: GoalRows) -> None:
        self._goals = goals

    async def chosen(self, chat: int, verb: str, words: Sequence[str]) -> ChosenGoal | Answer:
        """Returns the goal of this chat that the words name, or a question or a refusal."""
        first = words[0] if words else ""
        known = await self._goals.get(first) if _ID.fullmatch(first) else None
        if known is not None and known.chat == chat:
            return ChosenGoal(known, False, words[1:])
        found = await self._goals.of_chat(chat, _LOOKED_AT)
        fitting = [goal for goal in found if _fits(goal, verb)]
        lone = len(fitting) == 1 and verb in _ALONE and not _ID.fullmatch(first)
        if lone and (verb == _ANSWER or not first.isdecimal()):
            return ChosenGoal(fitting[0], False, words)
        number = int(first) if first.isdecimal() and len(first) <= _MOST_DIGITS else 0
        if 0 < number <= len(found):
            return ChosenGoal(found[number - 1], True, words[1:])
        if first and (verb not in _ALONE or first.isdecimal() or _ID.fullmatch(first)):
            return _unknown(first)
        numbered = [(n, goal) for n, goal in enumerate(found, 1) if goal in fitting]
        return _which(verb, numbered) if numbered else _none(verb, found)


def _fits(goal: Goal, verb: str) -> bool:
    return goal.state is GoalState.STUCK if verb == _ANSWER else not goal.over


def _which(verb: str, numbered: Sequence[tuple[int, Goal]]) -> Answer:
    """Asks which of several goals is meant."""
    how = inline_code(f"/goals {verb} {numbered[0][0]} …")
    lines = [item(n, named(goal.name)) for n, goal in numbered[:_OFFERED]]
    return Answer("\n".join([f"Which goal? Write its number, as in {how}.", "", *lines]))


def _none(verb: str, found: Sequence[Goal]) -> Answer:
    if verb == _ANSWER and found:
        return Answer("No goal of this chat asks you anything now. /goals lists them.")
    return Answer("No goal of this chat is under way. /goals lists them, /goal begins one.")


def _unknown(word: str) -> Answer:
    return Answer(f"This chat has no goal {inline_code(word[:40])}. /goals lists them.")
