"""The texts about skills for the model: the list, the instructions, and the skill in use."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from bot.domain.skills.skill import FIND, READ, USE, Skill
from bot.domain.text.foreign_text import defused
from bot.domain.tools.server import tools_prefix
from bot.domain.turn.transcript import Body, SkillBody

NONE = "none"
"""The name with which a model ends the use of a skill."""

PAGE = 24_000
"""The most bytes of instructions in one result; longer instructions come in pages."""

_LONGEST_FILLED = 400_000
"""Characters of instructions with a person's words in their places."""

_LIKELY = 250
"""Bytes of the description of a skill that is likely to be used, where no other has one."""

_LEAST = 12
"""The fewest characters of a description that are worth a place in the list."""

_ALL = re.compile(r"\$ARGUMENTS\b")
_ONE = re.compile(r"\$ARGUMENTS\b|\$([1-9])(?![0-9]|[.,][0-9])")
_PLACES = re.compile(r"\$ARGUMENTS\b|\$[1-9]")
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_FENCE_END = re.compile(r"^(?:```|~~~)[ \t]*$", re.MULTILINE)
_CHOSEN = re.compile(r"/skill(?:@\w+)?[ \t]+(\S+)\s+(\S.*)", re.DOTALL | re.IGNORECASE)

_CLOSING = re.compile(r"<\s*/\s*skill\b", re.IGNORECASE)
"""A mark that would end the frame of instructions early."""

MARK = "[Skill]"
"""The beginning of every text that the program writes about skills."""

_INTRODUCTION = f"""\
Skills
- A skill is a set of instructions, written by your operator, for one kind of task. When a request \
fits one, call {USE} with its name before anything else, and then do as it says.
- A skill stays at work until another one takes its place. A text in {MARK} tells which. When it \
does not fit what the person wants now, call {USE} with the name {NONE}."""


def is_crowded(skills: Sequence[Skill], budget: int) -> bool:
    """Returns true when a list of so many bytes has no room for all names."""
    return _fitting([f"- {skill.name}" for skill in skills], budget) < len(skills)


def is_whole(skills: Sequence[Skill], budget: int) -> bool:
    """Returns true when a list of so many bytes tells all names and descriptions, uncut."""
    lines = [f"- {skill.name}: {_on_one_line(skill)}" for skill in skills]
    return _fitting(lines, budget) == len(lines)


def listing(skills: Sequence[Skill], budget: int, likely: Sequence[str] = ()) -> str:
    """Returns the list of skills for the system text: at most `budget` bytes of names and texts.

    Names come first; the descriptions share the rest, each shortened to the same length. If there
    is no room for all names, the `likely` skills come first, with descriptions, in at most half of
    the room. Skills without room in the list are found by searching.
    """
    if not skills:
        return ""
    if is_crowded(skills, budget):
        return "\n".join([_INTRODUCTION, "Known skills", *_crowded(skills, budget, likely)])
    names = [f"- {skill.name}" for skill in skills]
    told = [_on_one_line(skill) for skill in skills]
    room = budget - sum(len(name.encode()) + 1 for name in names)
    each = _share([len(text.encode()) + 2 for text in told], room)
    lines = [_line(name, text, each) for name, text in zip(names, told, strict=True)]
    return "\n".join([_INTRODUCTION, "Known skills", *lines])


def _crowded(skills: Sequence[Skill], budget: int, likely: Sequence[str]) -> list[str]:
    known = {skill.name: skill for skill in skills}
    first = [known[name] for name in dict.fromkeys(likely) if name in known]
    told = [_line(f"- {s.name}", _on_one_line(s), _LIKELY) for s in first]
    head = told[: _fitting(told, budget // 2)]
    shown = {skill.name for skill in first[: len(head)]}
    lines = [*head, *(f"- {skill.name}" for skill in skills if skill.name not in shown)]
    more = "- {} more are not in this list: " + f"{FIND} finds them."
    fitting = _fitting(lines, budget - len(more.format(len(skills))) - 1)
    return [*lines[:fitting], more.format(len(skills) - fitting)]


def _on_one_line(skill: Skill) -> str:
    return " ".join(defused(skill.description).split())


def _fitting(lines: Sequence[str], budget: int) -> int:
    """Returns the number of lines that fit into so many bytes."""
    used = accumulate(len(line.encode()) + 1 for line in lines)
    return sum(size <= budget for size in used)


def _share(sizes: Sequence[int], room: int) -> int:
    """Returns the largest common limit for these sizes at which they fit together."""
    left = len(sizes)
    for size in sorted(sizes):
        if size * left > room:
            return room // left
        room -= size
        left -= 1
    return max(sizes)


def _line(name: str, text: str, most: int) -> str:
    """Returns a line of the list; cuts a description at a word, and drops a very short one."""
    whole = text.encode()
    if len(whole) + 2 <= most:
        return f"{name}: {text}"
    cut = whole[: max(0, most - 2 - len("…".encode()))].decode(errors="ignore")
    cut = cut.rpartition(" ")[0] or cut
    return f"{name}: {cut.rstrip(' .,;:')}…" if len(cut) >= _LEAST else name


def instructions(skill: Skill, text: str = "") -> str:
    """Returns the body of a skill in its frame, with the terms of its use."""
    body = _CLOSING.sub(r"<\\/skill", defused(text or skill.instructions))
    return "\n".join([f'<skill name="{skill.name}">', body, "</skill>", *_terms(skill)])


def _terms(skill: Skill) -> list[str]:
    terms = [
        f"Its folder is {skill.folder}, which commands find in $SKILL_DIR; {READ} reads the files "
        "in it and, with the path `.`, lists them."
    ]
    if skill.tools is not None:
        allowed = ", ".join(skill.tools) or "none"
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


def put_to_work(skill: Skill, files: Sequence[str] = ()) -> str:
    """Returns the result of the call that chose a skill; the first page of long instructions."""
    first, more = page(skill.instructions, 0, skill.name)
    beside = [f"Files in {skill.folder}:", *(f"- {file}" for file in files)] if files else []
    told = f"The skill {skill.name} is at work from here on."
    return "\n".join([told, instructions(skill, first), *beside, *([more] if more else [])])


def laid_down(skill: Skill | None) -> str:
    """Returns the result of the call that ended the use of a skill."""
    if skill is None:
        return "No skill was at work."
    return (
        f"{skill.name} is not at work any more: go on without it. If the person chose it with "
        "/skill, it is back with their next message."
    )


def page(text: str, offset: int, skill: str, path: str = "SKILL.md") -> tuple[str, str]:
    """Returns the part of a skill's file from a byte on, and how to read on; empty at the end."""
    whole = text.encode()
    if len(whole) - offset <= PAGE:
        return whole[offset:].decode(errors="ignore"), ""
    part = whole[offset : offset + PAGE].decode(errors="ignore")
    part = part[: part.rfind("\n") + 1] or part
    after = offset + len(part.encode())
    told = f'{READ} with skill "{skill}", path "{path}" and offset {after}'
    return part, f"This is up to byte {after} of {len(whole)}. Read on before you act: {told}."


def arguments_in(text: str) -> tuple[str, str]:
    """Returns skill and words of a person's `/skill <name> <words>`; empty for any other text."""
    found = _CHOSEN.match(text.strip())
    return (found[1], found[2].strip()) if found else ("", "")


def with_arguments(text: str, arguments: str) -> str:
    """Returns the instructions with a person's words in their places, or else at the end.

    Numbered places in blocks of code belong to the code and stay.
    """
    if not arguments:
        return text
    words = arguments.split()

    def word(found: re.Match[str]) -> str:
        number = int(found[1] or 0)
        return arguments if not number else words[number - 1] if number <= len(words) else ""

    if len(text) + len(_PLACES.findall(text)) * len(arguments) > _LONGEST_FILLED:
        return f"{text}\n\nARGUMENTS: {arguments}"
    filled = "".join(
        _ALL.sub(lambda _: arguments, part) if fenced else _ONE.sub(word, part)
        for part, fenced in _fenced(text)
    )
    return filled if filled != text else f"{text}\n\nARGUMENTS: {arguments}"


def _fenced(text: str) -> Iterator[tuple[str, bool]]:
    """Yields a text in parts, each with True when it is a block of code that ends."""
    at = 0
    while (begin := _FENCE.search(text, at)) is not None:
        end = _FENCE_END.search(text, begin.end())
        if end is None:
            break
        yield text[at : begin.start()], False
        yield text[begin.start() : end.end()], True
        at = end.end()
    yield text[at:], False


def brought(skill: Skill, arguments: str = "") -> SkillBody:
    """Returns the entry that shows the skill in use to the model."""
    head = f"{MARK} {skill.name} is at work in this chat. Treat the request as it says."
    text = with_arguments(skill.instructions, arguments)
    return SkillBody(skill.name, f"{head}\n{instructions(skill, text)}")


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


def due(
    skill: Skill | None, shown: tuple[str, str] | None, arguments: str = ""
) -> SkillBody | None:
    """Returns the entry that the view lacks to name the skill in use; None when it lacks none.

    `shown` is the name and the words of the newest skill in view, `arguments` the words of a person
    with this choice.
    """
    name, words = shown or ("", "")
    if skill is None:
        return at_rest(name) if name else None
    if name == skill.name and _is_shown(skill, words, arguments):
        return None
    return brought(skill, arguments)


def _is_shown(skill: Skill, words: str, arguments: str) -> bool:
    """Returns True when these words hold the instructions, with any text as arguments."""
    text = skill.instructions
    if arguments and with_arguments(text, arguments).startswith(text):
        arguments = ""  # They stand in the message: the body has no place for them.
    if arguments:
        return page(with_arguments(text, arguments), 0, skill.name)[0] in words
    first, _ = page(text, 0, skill.name)
    return all(piece in words for piece in _PLACES.split(first))
