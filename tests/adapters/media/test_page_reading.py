"""Reading web pages and feeds in the bounded process."""

import pytest

from bot.adapters.media.media_reader import MediaReader
from bot.domain.talk.limits import ReadingBounds
from bot.ports.attachments import DocumentText, NotRead

ADDRESS = "https://news.example/a/b"


async def read(html: bytes, charset: str = "") -> str:
    reading = await MediaReader(ReadingBounds()).read_page(html, ADDRESS, charset)
    assert isinstance(reading, DocumentText | NotRead)
    return reading.text if isinstance(reading, DocumentText) else f"!{reading.why}"


async def test_a_page_keeps_words_headings_and_whole_links_and_its_date() -> None:
    html = b"""<html><head><title>T</title>
      <meta property="article:published_time" content="2026-01-02"></head><body>
      <nav><a href=/x>Menu</a></nav><main><h2>Hello</h2>
      <p>A <a href="c?x=1">link</a>, <a href="javascript:x()">no link</a>,
      <img src="https://evil.example/p.png" alt="a cat"><span hidden>secret</span>
      <!-- comment --><script>evil()</script></p></main></body></html>"""
    text = await read(html)
    assert text.startswith("# T\n\nDate: 2026-01-02\n\n## Hello")
    assert "[link](https://news.example/a/c?x=1)" in text
    assert "[picture: a cat]" in text
    for gone in ("Menu", "javascript", "evil", "secret", "comment"):
        assert gone not in text


@pytest.mark.parametrize(
    ("data", "charset", "words"),
    [
        ("<p>Grüße".encode(), "iso-8859-1", "Grüße"),
        ("<meta charset=utf-8><p>Grüße".encode("cp1252"), "windows-1252", "Grüße"),
        ("<meta charset=windows-1251><p>Привет".encode("cp1251"), "", "Привет"),
        ("<p>Viele Grüße aus der schönen Stadt".encode("cp1252"), "no-such-charset", "aus der"),
        ("<p>Grüße".encode("utf-16"), "", "Grüße"),
    ],
)
async def test_an_encoding_is_found_whatever_the_server_says(
    data: bytes, charset: str, words: str
) -> None:
    assert words in await read(data, charset)


async def test_a_page_of_scripts_alone_says_so() -> None:
    told = await read(b"<html><div id=root></div><script>app()</script></html>")
    assert told.startswith("!shows nothing without JavaScript")


async def test_a_feed_tells_its_entries_and_follows_no_entity() -> None:
    feed = b"""<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>
      <rss><channel><title>F</title><item><title>One &x;</title><link>/1</link>
      <description>&lt;p&gt;Words&lt;/p&gt;</description></item></channel></rss>"""
    text = await read(feed.replace(b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>', b""))
    assert "(https://news.example/1)" in text
    assert "Words" in text
    assert "root:" not in await read(feed)


async def test_a_page_nested_without_end_is_read_or_refused_in_time() -> None:
    assert "deep" in await read(b"<div>" * 20_000 + b"deep")
