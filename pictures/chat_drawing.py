"""Draws a chat as a phone shows it, in light and in dark."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pictures import svg
from pictures.lettering import is_emoji, lines, split_emoji, width
from pictures.session import Bubble, ChatMoment, Run, Session

WIDTH = 420.0
_SIZE, _LINE = 15.0, 20.5
_CODE_SIZE, _CODE_LINE = 13.0, 18.0
_EDGE, _PADDING, _HEAD = 12.0, 11.0, 54.0
_WIDEST = 336.0
_BUTTON, _GAP = 36.0, 5.0
_SHELL_LINE, _SHELL_HEAD = 19.0, 30.0
_TALLEST = 470.0

_STYLE = f"""\
text{{font:15px {svg.SANS};fill:var(--ink);white-space:pre}}
.wall{{fill:var(--wall)}} .frame{{fill:none;stroke:var(--edge);stroke-width:1}}
.head{{fill:var(--head)}} .face{{fill:#3d7be0}}
text.face{{fill:#fff;font-weight:600;font-size:17px}}
.theirs{{fill:var(--theirs)}} .mine{{fill:var(--mine)}} .tint{{fill:var(--tint)}}
.key{{fill:var(--key)}} .key.on{{fill:var(--on)}} .finger{{fill:#8884;stroke:#888c}}
text.b{{font-weight:600}} text.i{{font-style:italic;fill:var(--dim)}}
text.dim{{fill:var(--dim);font-size:13px}}
text.c{{font:13px {svg.FIXED}}} text.add{{fill:var(--add)}} text.cut{{fill:var(--cut)}}
text.link,text.name{{fill:var(--link)}} text.name{{font-weight:600;font-size:14px}}
text.label{{font-weight:500;font-size:14px}}
.shell{{fill:#070b11}} text.sh{{font:13px {svg.FIXED};fill:#d5dde8}}
text.typed{{fill:#fff;font-weight:600}}
text.bar{{font-size:12px;fill:#9aa7b8}} .up{{fill:#3fb950}} .down{{fill:#f0524f}}
.veil{{fill:#0005}} .sheet{{fill:var(--theirs)}}
svg{{--ink:#111c26;--dim:#64727f;--wall:#dfe7ee;--head:#fff;--edge:#c3ccd5;--theirs:#fff;--mine:#dcf3cf;
--tint:#0e3a660f;--key:#ffffffb8;--on:#a9c9f5;--add:#1a7f37;--cut:#cf222e;--link:#2266c4}}
@media (prefers-color-scheme:dark){{svg{{--ink:#e9eef4;--dim:#93a1b0;--wall:#0f161e;--head:#1a232d;
--edge:#303b47;--theirs:#1e2934;--mine:#265d4a;--tint:#00000038;--key:#2b3947;--on:#3f6ea8;--add:#56d364;
--cut:#ff8a84;--link:#79b3ff}}}}"""

_LOOKS = {"bold": "b", "italic": "i", "code": "c", "mention": "link", "bot_command": "link"}


@dataclass(slots=True)
class _Sheet:
    """Elements drawn below one another, and how far down the next one begins."""

    parts: list[str]
    y: float = 0.0


def draw(session: Session) -> str:
    """Returns the picture of the session's last moment, or its film when there are several."""
    moments = [moment for moment in session.moments if isinstance(moment, ChatMoment)]
    drawn = [_chat(moment) for moment in moments]
    room = max(sheet.y for sheet in drawn)
    room = min(room, _TALLEST) if len(drawn) > 1 else room
    shell = max(len(moment.shell) for moment in moments)
    below = _SHELL_HEAD + shell * _SHELL_LINE + 12 if shell else 0.0
    size = (WIDTH, _HEAD + room + below)
    frames = [
        _frame(moment, sheet, room, below) for moment, sheet in zip(moments, drawn, strict=True)
    ]
    body, rules = frames[-1], list[str]()
    if len(frames) > 1:
        seconds = [moment.seconds for moment in moments]
        body, rules = svg.film(frames, seconds, session.poster)
    clips = (
        f'<clipPath id="card">{svg.box(0, 0, WIDTH, size[1], "", 14)}</clipPath>'
        f'<clipPath id="chat">{svg.box(0, _HEAD, WIDTH, room, "")}</clipPath>'
    )
    around = svg.box(0.5, 0.5, WIDTH - 1, size[1] - 1, "frame", 14)
    parts = [svg.box(0, 0, *size, "wall"), body, _head(session.header)]
    inside = "\n".join(parts)
    whole = f'<defs>{clips}</defs>\n<g clip-path="url(#card)">\n{inside}\n</g>\n{around}'
    return svg.picture(size, session.title, _STYLE, whole, rules)


def _head(name: str) -> str:
    parts = (
        svg.box(0, 0, WIDTH, _HEAD, "head"),
        '<circle cx="34" cy="27" r="17" class="face"/>',
        f'<text x="34" y="33" text-anchor="middle" class="face">{name[0]}</text>',
        svg.words(62, 25, name, "b"),
        svg.words(62, 42, "bot" if name == "Steward" else "group", "dim"),
    )
    return "\n".join(parts)


def _frame(moment: ChatMoment, sheet: _Sheet, room: float, below: float) -> str:
    down = _HEAD + min(0.0, room - sheet.y)
    chat = "\n".join(sheet.parts)
    parts = [
        f'<g clip-path="url(#chat)"><g transform="translate(0 {svg.number(down)})">{chat}</g></g>'
    ]
    if moment.notice:
        parts.extend(_notice(moment.notice, room))
    if below:
        parts.extend(_shell(moment, _HEAD + room, below))
    return "\n".join(parts)


def _shell(moment: ChatMoment, top: float, height: float) -> Iterator[str]:
    yield svg.box(0, top, WIDTH, height, "shell")
    state, look = ("running", "up") if moment.running else ("killed", "down")
    yield f'<circle cx="20" cy="{svg.number(top + 17)}" r="5" class="{look}"/>'
    yield svg.words(32, top + 21.5, f"your machine · Steward is {state}", "bar")
    for place, line in enumerate(moment.shell):
        y = top + _SHELL_HEAD + 14 + place * _SHELL_LINE
        look = "sh typed" if line.startswith("$") else "sh"
        yield svg.words(16, y, line, look, len(line) * 13 * 0.6)


def _notice(text: str, room: float) -> Iterator[str]:
    wide = 300.0
    rows = lines([(text, "")], wide - 40, _SIZE)
    high = len(rows) * _LINE + 64
    x, y = (WIDTH - wide) / 2, _HEAD + (room - high) / 2
    yield svg.box(0, _HEAD, WIDTH, room, "veil")
    yield svg.box(x, y, wide, high, "sheet", 14)
    for place, row in enumerate(rows):
        for piece in row:
            yield svg.words(x + 20 + piece.x, y + 30 + place * _LINE, piece.words, "", piece.width)
    yield svg.words(x + wide - 46, y + high - 18, "OK", "link b")


def _chat(moment: ChatMoment) -> _Sheet:
    sheet = _Sheet([], 12.0)
    for bubble in moment.bubbles:
        _draw_bubble(sheet, bubble, moment.pressed)
        sheet.y += 10
    sheet.y += 2
    return sheet


def _draw_bubble(sheet: _Sheet, bubble: Bubble, pressed: str) -> None:
    inside = _Sheet([], 9.0)
    widest = _WIDEST - 2 * _PADDING
    blocks = list(_blocks(bubble.runs))
    needed = max((_needed(runs, code, widest) for runs, code in blocks), default=0.0)
    needed = max(needed, width(bubble.file, "bold", _SIZE) + 50 if bubble.file else 0.0)
    needed = max(needed, width(bubble.sender, "bold", 14) if bubble.sender else 0.0)
    wide = widest if bubble.buttons else min(needed, widest)
    left = WIDTH - _EDGE - wide - 2 * _PADDING if bubble.mine else _EDGE
    x = left + _PADDING
    if bubble.sender:
        inside.parts.append(svg.words(x, inside.y + 14, bubble.sender, "name"))
        inside.y += 20
    if bubble.file:
        _draw_file(inside, x, bubble.file)
    for runs, code in blocks:
        (_draw_code if code else _draw_text)(inside, runs, x, wide)
    high = inside.y + 9
    look = "mine" if bubble.mine else "theirs"
    sheet.parts.append(svg.box(left, sheet.y, wide + 2 * _PADDING, high, look, 13))
    down = svg.number(sheet.y)
    sheet.parts.append(f'<g transform="translate(0 {down})">{"".join(inside.parts)}</g>')
    sheet.y += high
    for row in bubble.buttons:
        sheet.y += _GAP
        _draw_buttons(sheet, row, left, wide + 2 * _PADDING, pressed)


def _blocks(runs: Sequence[Run]) -> Iterator[tuple[list[Run], str]]:
    """Yields text and code in turn, each without the line ends between them."""
    text: list[Run] = []
    for words, style in runs:
        if "pre" not in style:
            text.append((words, style))
            continue
        if stripped := _stripped(text):
            yield stripped, ""
        text = []
        yield [(words.rstrip(), style)], style
    if stripped := _stripped(text):
        yield stripped, ""


def _stripped(runs: Sequence[Run]) -> list[Run]:
    kept = [run for run in runs if run[0]]
    if kept:
        kept[0] = (kept[0][0].lstrip("\n"), kept[0][1])
        kept[-1] = (kept[-1][0].rstrip("\n"), kept[-1][1])
    return [run for run in kept if run[0]]


def _needed(runs: Sequence[Run], code: str, widest: float) -> float:
    if code:
        rows = runs[0][0].split("\n")
        return min(widest, max(map(len, rows)) * _CODE_SIZE * 0.6 + 18)
    return max(
        (row[-1].x + row[-1].width for row in lines(runs, widest, _SIZE) if row), default=0.0
    )


def _draw_text(sheet: _Sheet, runs: Sequence[Run], x: float, wide: float) -> None:
    for row in lines(runs, wide, _SIZE):
        if not row:
            sheet.y += _LINE * 0.55
            continue
        for piece in row:
            look = " ".join(_LOOKS.get(style, "") for style in piece.style.split()).strip()
            shown = None if is_emoji(piece.words) else piece.width
            sheet.parts.append(svg.words(x + piece.x, sheet.y + 15, piece.words, look, shown))
        sheet.y += _LINE


def _draw_code(sheet: _Sheet, runs: Sequence[Run], x: float, wide: float) -> None:
    ((words, style),) = runs
    most = int((wide - 16) / (_CODE_SIZE * 0.6))
    rows = [
        row[at : at + most] for row in words.split("\n") for at in range(0, len(row) or 1, most)
    ]
    sheet.y += 4
    sheet.parts.append(svg.box(x, sheet.y, wide, len(rows) * _CODE_LINE + 12, "tint", 7))
    sheet.y += 6
    for row in rows:
        look = "c"
        if "diff" in style and not row.startswith("@@"):
            look += {"+": " add", "-": " cut"}.get(row[:1], "")
        if row.strip():
            fixed = len(row) * _CODE_SIZE * 0.6
            sheet.parts.append(svg.words(x + 8, sheet.y + 13, row, look, fixed))
        sheet.y += _CODE_LINE
    sheet.y += 10


def _draw_file(sheet: _Sheet, x: float, name: str) -> None:
    sheet.y += 2
    sheet.parts.append(
        f'<circle cx="{svg.number(x + 20)}" cy="{svg.number(sheet.y + 20)}" r="19" class="face"/>'
    )
    sheet.parts.append(svg.words(x + 9.5, sheet.y + 26, "📄", ""))
    sheet.parts.append(svg.words(x + 50, sheet.y + 17, name, "b", width(name, "bold", _SIZE)))
    sheet.parts.append(svg.words(x + 50, sheet.y + 35, "document", "dim"))
    sheet.y += 46


def _draw_buttons(
    sheet: _Sheet, row: Sequence[str], left: float, wide: float, pressed: str
) -> None:
    each = (wide - _GAP * (len(row) - 1)) / len(row)
    for place, label in enumerate(row):
        x = left + place * (each + _GAP)
        on = bool(pressed) and label.startswith(pressed)
        sheet.parts.append(svg.box(x, sheet.y, each, _BUTTON, "key on" if on else "key", 9))
        parts = split_emoji(label)
        widths = [width(part, "", 14) for part in parts]
        at = x + (each - sum(widths)) / 2
        for part, one in zip(parts, widths, strict=True):
            shown = None if is_emoji(part) else one
            sheet.parts.append(svg.words(at, sheet.y + 23, part, "label", shown))
            at += one
        if on:
            sheet.parts.append(
                f'<circle cx="{svg.number(x + each * 0.72)}" cy="{svg.number(sheet.y + 20)}" '
                'r="15" class="finger"/>'
            )
    sheet.y += _BUTTON
