"""Wraps the path of a file where it can still be read."""

import re
import textwrap


def path_lines(path: str, width: int) -> list[str]:
    """Returns a path in lines, broken before a slash where a slash is near."""
    lines = [""]
    for part in re.findall(r"/?[^/]*", path):
        if len(lines[-1]) + len(part) > width and lines[-1]:
            lines.append("")
        lines[-1] += part
    return [piece for line in lines for piece in textwrap.wrap(line, width)] or [""]
