"""Tells what is in a CSV file: encoding, delimiter, kinds of columns, and faults by line."""

import csv
import re
import sys
from collections import Counter
from pathlib import Path

_KINDS = (
    ("whole number", re.compile(r"[+-]?\d+")),
    ("decimal with a point", re.compile(r"[+-]?\d*\.\d+")),
    ("decimal with a comma", re.compile(r"[+-]?\d+,\d+")),
    ("date YYYY-MM-DD", re.compile(r"\d{4}-\d{2}-\d{2}")),
    ("date with dots", re.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}")),
    ("date with slashes", re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}")),
)
_MOST = 20


def main(path: Path) -> None:
    content, encoding = _decoded(path.read_bytes())
    delimiter = _delimiter(content)
    rows = list(csv.reader(content.splitlines(keepends=True), delimiter=delimiter))
    header, body = (rows[0], rows[1:]) if rows else ([], [])
    print(f"encoding: {encoding}\ndelimiter: {delimiter!r}\ndata rows: {len(body)}")
    for number, name in enumerate(header):
        values = [row[number] for row in body if number < len(row)]
        print(f"column {number + 1} {name!r}: {_described(values)}")
    for fault in _faults(header, body):
        print(fault)


def _decoded(content: bytes) -> tuple[str, str]:
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1"), "latin-1"


def _delimiter(content: str) -> str:
    first = next((line for line in content.splitlines() if line.strip()), "")
    return max(",;\t|", key=first.count)


def _described(values: list[str]) -> str:
    kinds = Counter(_kind(value.strip()) for value in values)
    shown = ", ".join(f"{count} × {kind}" for kind, count in kinds.most_common())
    examples = list(dict.fromkeys(value for value in values if value.strip()))[:3]
    return f"{shown or 'no values'}; for example {examples}"


def _kind(value: str) -> str:
    if not value:
        return "empty"
    return next((kind for kind, form in _KINDS if form.fullmatch(value)), "text")


def _faults(header: list[str], body: list[list[str]]) -> list[str]:
    """What is wrong, with line numbers as an editor shows them where no value has line breaks."""
    wrong = [n for n, row in enumerate(body, 2) if row and len(row) != len(header)]
    blank = [n for n, row in enumerate(body, 2) if not any(value.strip() for value in row)]
    spaces = [n for n, row in enumerate(body, 2) if any(v != v.strip() for v in row)]
    seen = Counter(tuple(row) for row in body)
    double = [n for n, row in enumerate(body, 2) if seen[tuple(row)] > 1]
    told = (
        (f"rows without {len(header)} values", wrong),
        ("blank rows", blank),
        ("rows with spaces around values", spaces),
        ("rows that stand there more than once", double),
    )
    names = [name for name, count in Counter(header).items() if count > 1 or not name.strip()]
    lines = [f"column names that are empty or double: {names}"] if names else []
    for what, where in told:
        if where:
            more = f" and {len(where) - _MOST} more" if len(where) > _MOST else ""
            lines.append(f"{what}: {len(where)} (lines {where[:_MOST]}{more})")
    return lines or ["no faults found"]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: inspect_csv.py <file>")
    main(Path(sys.argv[1]))
