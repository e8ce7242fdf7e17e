"""The texts about skills for the model: the list, the instructions, and the one in use."""

from collections.abc import Iterable, Sequence

from bot.domain.server import tools_prefix
from bot.domain.skill import FIND, READ, USE, Skill
from bot.domain.transcript import Body, SkillBody

MARK = "[Skill]"
"""The beginning of every text of the program about skills."""

_INTRODUCTION = f"""\
Skills
- A skill is a set of instructions, written by your operator, for one kind of task. When a request \
fits one, call {USE} with its name before anything else, and then do as it says.
- A skill stays at work until another one takes its place. A text in {MARK} tells which."""


def listing(skills: Sequence[Skill], budget: int) -> str:
    """Returns the system text about skills: names and descriptions within `budget` bytes."""
    if not skills:
        return ""
    lines: list[str] = []
    for skill in skills:
        line = f"- {skill.name}: {' '.join(skill.description.split())}"
        budget -= len(line.encode()) + 1
        if budget < 0:
            break
        lines.append(line)
    rest = len(skills) - len(lines)
    more = [f"- {rest} more are not in this list: {FIND} finds them."] if rest else []
    return "\n".join([_INTRODUCTION, "Known skills", *lines, *more])


def instructions(skill: Skill) -> str:
    """Returns the framed body of a skill, with the terms that hold while it is in use."""
    return "\n".join(
        [f'<skill name="{skill.name}">', skill.instructions, "</skill>", *_terms(skill)]
    )


def _terms(skill: Skill) -> list[str]:
    terms = [f"{READ} reads the files beside it; commands find them in $SKILL_DIR."]
    if skill.allowed_tools is not None:
        allowed = ", ".join(skill.allowed_tools) or "none"
        terms.append(f"Tools that may be used under it, besides those about skills: {allowed}.")
    if skill.servers:
        names = ", ".join(f"{tools_prefix(server.name)}…" for server in skill.servers)
        terms.append(
            f"Its servers lend tools named {names}. One that is not among your tools yet comes "
            "with the person's next message: say so if you need it now."
        )
    if skill.next_skill is not None:
        terms.append(
            f"Your settled text is not sent: the skill {skill.next_skill} goes on with it."
        )
    if skill.conditional_next:
        choices = "\n".join(f"- {when}: {name}" for when, name in skill.conditional_next.items())
        terms.append(f"When one of these holds, call {USE} with its skill instead:\n{choices}")
    return terms


def put_to_work(skill: Skill) -> str:
    """Returns the result of the call that chose a skill."""
    return f"The skill {skill.name} is at work from here on.\n{instructions(skill)}"


def brought(skill: Skill) -> SkillBody:
    """Returns the entry that shows the chat's skill to the model."""
    head = f"{MARK} {skill.name} is at work in this chat. Treat the request as it says."
    return SkillBody(skill.name, f"{head}\n{instructions(skill)}")


def handed_over(skill: Skill, before: str) -> SkillBody:
    """Returns the entry of a skill that continues with the settled text of another one."""
    head = (
        f"{MARK} Your text above is kept and was not sent to the person. {skill.name} is at work "
        f"now, in place of {before}: go on with that text as it says."
    )
    return SkillBody(skill.name, f"{head}\n{instructions(skill)}", after=before)


def at_rest(name: str, why: str = "") -> SkillBody:
    """Returns the entry that ends a skill; `why` is the reason when it should be in use."""
    because = f": {why}" if why else ""
    text = f"{MARK} {name} is not at work any more{because}. Go on without it."
    return SkillBody("", text, missed=name if why else "")


def is_missed(name: str, newest_first: Iterable[Body]) -> bool:
    """Returns true when the newest entry about a skill says that it cannot be used."""
    words = (body for body in newest_first if isinstance(body, SkillBody))
    return next((w.missed == name for w in words if name in (w.name, w.missed)), False)


def due(skill: Skill | None, shown: tuple[str, str] | None) -> SkillBody | None:
    """Returns the entry that a view lacks to show the skill in use; None when it lacks none.

    `shown` is the name and the text of the newest skill in view.
    """
    name, words = shown or ("", "")
    if skill is None:
        return at_rest(name) if name else None
    if name == skill.name and skill.instructions in words:
        return None
    return brought(skill)
