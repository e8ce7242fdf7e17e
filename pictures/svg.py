"""Elements of a picture, and a film of several pictures on one another."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

SANS = "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'Noto Color Emoji',sans-serif"
FIXED = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Color Emoji',monospace"


def number(value: float) -> str:
    """Returns a length in pixels with at most one digit behind the point."""
    return f"{value:.1f}".removesuffix(".0")


def box(x: float, y: float, width: float, height: float, look: str, radius: float = 0) -> str:
    """Returns a rectangle; `look` is its class."""
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}" rx="{number(radius)}" class="{look}"/>'
    )


def words(x: float, y: float, text: str, look: str, width: float | None = None) -> str:
    """Returns a line of text; `width` is the one it gets whatever the font is."""
    fixed = "" if width is None else f' textLength="{number(width)}"'
    adjusted = f'{fixed} lengthAdjust="spacingAndGlyphs"' if fixed else ""
    place = f'x="{number(x)}" y="{number(y)}"'
    return f'<text {place} class="{look}"{adjusted}>{escape(text)}</text>'


def picture(
    size: tuple[float, float], title: str, style: str, body: str, films: Sequence[str] = ()
) -> str:
    """Returns a whole file; what `films` say moves in it."""
    width, height = map(number, size)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label={quoteattr(title)}>\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}\n"
        + "".join(f"{line}\n" for line in films)
        + f"</style>\n{body}\n</svg>\n"
    )


def film(frames: Sequence[str], seconds: Sequence[float], poster: int) -> tuple[str, list[str]]:
    """Returns frames that follow one another for ever, and the styles that move them.

    Where nothing may move, and where films are not known, the poster stands still.
    """
    whole = sum(seconds)
    rules = [".f{opacity:0}", f".f{poster % len(frames)}{{opacity:1}}"]
    begin = 0.0
    for place, shown in enumerate(seconds):
        end = begin + shown
        stops = [f"0%{{opacity:{0 if begin else 1}}}"]
        stops += [f"{begin / whole:.2%}{{opacity:1}}"] if begin else []
        stops += [f"{end / whole:.2%}{{opacity:0}}"] if end < whole - 0.01 else []
        rules.append(f"@keyframes k{place}{{{''.join(stops)}}}")
        rules.append(f".f{place}{{animation:k{place} {whole:.1f}s step-end infinite}}")
        begin = end
    rules.append("@media (prefers-reduced-motion:reduce){.f{animation:none}}")
    groups = [f'<g class="f f{place}">\n{frame}\n</g>' for place, frame in enumerate(frames)]
    return "\n".join(groups), rules
