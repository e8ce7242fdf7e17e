"""Foreign words in a Markdown text: every sign of them shows as itself and formats nothing."""

import re

# A closing bracket needs no backslash once no bracket opens, and `\(…\)` would be mathematics.
_SIGNS = re.compile(r"[\\`*_~|\[<>#&$]")
_BLOCK_MARK = re.compile(r"^([-+=]|\d+[.)])")
"""The beginning of a list, of a rule or of the line under a heading."""


def literal(text: str) -> str:
    """Returns the text on one line, for any place of a Markdown text outside code."""
    escaped = _SIGNS.sub(r"\\\g<0>", " ".join(text.split()))
    return _BLOCK_MARK.sub(lambda mark: f"{mark[0][:-1]}\\{mark[0][-1]}", escaped)


def inline_code(text: str) -> str:
    """Returns the text as inline code on one line; a backtick, which would end it, becomes `'`."""
    line = " ".join(text.replace("`", "'").splitlines()).strip()
    return f"`{line}`" if line else ""


def item(number: int, line: str) -> str:
    """Returns a line of a list whose number a person may type.

    Markdown would count `2.` and `4.` as 1 and 2, so the number is a word of the line.
    """
    return f"- {number}: {line}"


def coded(line: str) -> str:
    """Returns a deed or a step for a Markdown text; its command, between backticks, is code."""
    before, opened, rest = line.partition("`")
    command, closed, behind = rest.partition("`")
    if not (opened and closed and before.strip() and command.strip()):
        return literal(line)
    return " ".join(p for p in (literal(before), inline_code(command), literal(behind)) if p)
