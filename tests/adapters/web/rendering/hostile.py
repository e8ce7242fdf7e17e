"""Texts that are meant to become more than a text."""

from hypothesis import strategies as st

ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "</pre></code><script>alert(1)</script>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<?php",
    "&lt;script&gt;",
    "&#x3c;script>",
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox(1))",
    "[x](//evil.example/x)",
    "[x](/leave)",
    "[x](\\\\evil.example)",
    '[x](https://a.example/" onmouseover="alert(1))',
    "[x](https://a.example 'title\" onmouseover=\"alert(1)')",
    "![x](https://a.example/p.png)",
    "![x](javascript:alert(1))",
    "![![x](https://a.example/1)](https://a.example/2)",
    "[![x](https://a.example/1)](https://a.example/2)",
    "<javascript:alert(1)>",
    '<https://a.example/"onmouseover=alert(1)>',
    "[x]: javascript:alert(1)\n\n[x]",
    "https://a.example/<script>",
    "https://a.example/'onmouseover='alert(1)",
    '```"><script>alert(1)</script>\ncode\n```',
    "```html\n<script>alert(1)</script>\n```",
    "| a | b |\n|:-:|--:|\n| <b>x</b> | [x](javascript:alert(1)) |",
    "# <h1>",
    "> <blockquote onclick=alert(1)>",
    "1. <li>",
    "- [x](mailto:a@example.org)",
    "{{ 7 * 7 }}{% raw %}",
    "\u202e\u2066\x00\x1b[31m",
    "`<b>`",
)

PIECES = (
    *("\n", "\n\n", " ", "    ", "\t", "*", "_", "**", "`", "```", "~~", "[", "]", "(", ")"),
    *("<", ">", '"', "'", "\\", "&", "|", "#", "-", "1.", "!", ":", "https://", "javascript:"),
    *("a", "é", "א"),
)

texts = st.lists(
    st.one_of(st.sampled_from(ATTACKS), st.sampled_from(PIECES), st.text(max_size=8)), max_size=30
).map("".join)
"""Texts of pieces of Markdown and HTML, put together in every way."""
