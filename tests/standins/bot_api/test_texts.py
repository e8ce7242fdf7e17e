"""Texts, entities and parse modes."""

import json
from typing import Any

import httpx
import pytest
import telegram
from telegram.error import BadRequest

from tests.standins.bot_api import BotApi, Person
from tests.standins.bot_api.asking import refusal, result


class TestTexts:
    async def test_a_text_has_4096_code_points_after_parsing(
        self, api: BotApi, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        await result(
            raw, "sendMessage", chat_id=42, text=f"<b>{'😀' * 4096}</b>", parse_mode="HTML"
        )
        assert api.screen(42).texts == ["😀" * 4096]
        description = await refusal(raw, "sendMessage", chat_id=42, text="x" * 4097)
        assert description == "message is too long"

    async def test_a_raw_text_over_32_kib_is_refused_before_parsing(
        self, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        description = await refusal(raw, "sendMessage", chat_id=42, text="x" * 32_769)
        assert description == "text is too long"

    @pytest.mark.parametrize(
        ("text", "reason"),
        [("", "message text is empty"), (" \n ", "text must be non-empty")],
    )
    async def test_an_empty_or_blank_text_is_refused(
        self, ann: Person, raw: httpx.AsyncClient, text: str, reason: str
    ) -> None:
        assert await refusal(raw, "sendMessage", chat_id=42, text=text) == reason

    async def test_a_text_must_be_utf_8(self, ann: Person, raw: httpx.AsyncClient) -> None:
        form = {"content-type": "application/x-www-form-urlencoded"}
        answer = await raw.post("sendMessage", content=b"chat_id=42&text=%ff", headers=form)
        assert answer.json()["description"] == "Bad Request: text must be encoded in UTF-8"
        body = json.dumps({"chat_id": 42, "text": "\ud83d"})
        answer = await raw.post(
            "sendMessage", content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code == 400

    async def test_control_and_direction_marks_are_cleaned_and_entities_follow(
        self, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        bold = {"type": "bold", "offset": 4, "length": 1}
        sent = await result(
            raw, "sendMessage", chat_id=42, text=" \u202ea\x00b \n", entities=[bold]
        )
        assert sent["text"] == "a b"
        assert sent["entities"] == [{"type": "bold", "offset": 2, "length": 1}]

    async def test_a_caption_has_1024_code_points(
        self, ann: Person, bot: telegram.Bot, api: BotApi
    ) -> None:
        await bot.send_document(42, b"x", caption="x" * 1024, filename="a.txt")
        with pytest.raises(BadRequest, match=r"(?i)message caption is too long"):
            await bot.send_document(42, b"x", caption="x" * 1025)
        assert len(api.screen(42).messages) == 1


class TestEntities:
    async def entities(self, raw: httpx.AsyncClient, text: str, *wanted: Any) -> list[Any]:
        sent = await result(raw, "sendMessage", chat_id=42, text=text, entities=list(wanted))
        shown = sent.get("entities", [])
        return [(entity["type"], entity["offset"], entity["length"]) for entity in shown]

    @pytest.mark.parametrize(
        ("offset", "length", "reason"),
        [
            (0, 9, "ends after the end of the text at UTF-16 offset 9"),
            (4, 1, "entity begins after the end of the text at UTF-16 offset 4"),
            (2, 1, "entity begins in a middle of a UTF-16 symbol at byte offset 5"),
            (0, 2, "ends in a middle of a UTF-16 symbol at byte offset 5"),
            (-1, 1, "receive an entity with incorrect offset -1"),
        ],
    )
    async def test_offsets_are_utf_16_units_inside_the_text_and_between_symbols(
        self, ann: Person, raw: httpx.AsyncClient, offset: int, length: int, reason: str
    ) -> None:
        entity = {"type": "bold", "offset": offset, "length": length}
        description = await refusal(raw, "sendMessage", chat_id=42, text="a😀b", entities=[entity])
        assert description.endswith(reason)

    async def test_unknown_types_are_refused(self, ann: Person, raw: httpx.AsyncClient) -> None:
        entity = {"type": "sparkle", "offset": 0, "length": 1}
        description = await refusal(raw, "sendMessage", chat_id=42, text="ab", entities=[entity])
        assert description == "can't parse MessageEntity: Unsupported type specified"

    @pytest.mark.parametrize("url", ["docs/readme.md", "#part", "http://", "localhost"])
    async def test_a_bad_link_is_refused_in_a_list_and_dropped_in_html(
        self, ann: Person, raw: httpx.AsyncClient, url: str
    ) -> None:
        entity = {"type": "text_link", "offset": 0, "length": 1, "url": url}
        description = await refusal(raw, "sendMessage", chat_id=42, text="ab", entities=[entity])
        assert description == f"entity URL '{url}' is invalid: Wrong HTTP URL"
        html = f'<a href="{url}">there</a>'
        sent = await result(raw, "sendMessage", chat_id=42, text=html, parse_mode="HTML")
        assert sent["text"] == "there"
        assert "entities" not in sent

    async def test_crossing_styles_are_split(self, ann: Person, raw: httpx.AsyncClient) -> None:
        bold = {"type": "bold", "offset": 0, "length": 4}
        italic = {"type": "italic", "offset": 2, "length": 4}
        assert await self.entities(raw, "abcdef", bold, italic) == [
            ("bold", 0, 4),
            ("italic", 2, 2),
            ("italic", 4, 2),
        ]

    async def test_code_holds_no_style_and_no_second_code(
        self, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        code = {"type": "code", "offset": 2, "length": 2}
        bold = {"type": "bold", "offset": 0, "length": 6}
        second = {"type": "pre", "offset": 3, "length": 3}
        assert await self.entities(raw, "abcdef", code, bold, second) == [
            ("bold", 0, 2),
            ("code", 2, 2),
            ("bold", 4, 2),
        ]

    async def test_more_than_100_are_cut_to_100(self, ann: Person, raw: httpx.AsyncClient) -> None:
        many = [{"type": "bold", "offset": 2 * i, "length": 1} for i in range(120)]
        assert len(await self.entities(raw, "ab" * 120, *many)) == 100


class TestParseModes:
    @pytest.mark.parametrize("character", list(".!-+=#|{}()>]"))
    async def test_reserved_characters_must_be_escaped_in_markdown_v2(
        self, ann: Person, raw: httpx.AsyncClient, character: str
    ) -> None:
        def message(text: str) -> dict[str, Any]:
            return {"chat_id": 42, "text": text, "parse_mode": "MarkdownV2"}

        assert await refusal(raw, "sendMessage", **message(f"v1{character} ")) == (
            f"can't parse entities: Character '{character}' is reserved and must be escaped "
            "with the preceding '\\'"
        )
        assert (await result(raw, "sendMessage", **message(f"v1\\{character}")))["text"] == (
            f"v1{character}"
        )

    async def test_markdown_v2_makes_entities(self, ann: Person, raw: httpx.AsyncClient) -> None:
        text = "*b _i_* ||s|| [l](http://a.b) `c.` \n```py\nx = 1```\n>q"
        sent = await result(raw, "sendMessage", chat_id=42, text=text, parse_mode="MarkdownV2")
        assert sent["text"] == "b i s l c. \nx = 1\nq"
        kinds = [entity["type"] for entity in sent["entities"]]
        assert kinds == ["bold", "italic", "spoiler", "text_link", "code", "pre", "blockquote"]
        assert sent["entities"][3]["url"] == "http://a.b/"
        assert sent["entities"][5]["language"] == "py"

    async def test_an_unclosed_mark_is_refused(self, ann: Person, raw: httpx.AsyncClient) -> None:
        description = await refusal(
            raw, "sendMessage", chat_id=42, text="😀 *b", parse_mode="MarkdownV2"
        )
        assert description == "can't parse entities: Can't find end of Bold entity at byte offset 5"

    async def test_html_makes_entities(self, ann: Person, raw: httpx.AsyncClient) -> None:
        text = '<b>a &lt;</b><pre><code class="language-py">x</code></pre><a href="a.b">l</a>'
        sent = await result(raw, "sendMessage", chat_id=42, text=text, parse_mode="HTML")
        assert sent["text"] == "a <xl"
        assert [e["type"] for e in sent["entities"]] == ["bold", "pre", "text_link"]

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("a<div>", 'Unsupported start tag "div" at byte offset 1'),
            ("1 < 2", 'Unsupported start tag "" at byte offset 2'),
            ("<b>x", 'Can\'t find end tag corresponding to start tag "b"'),
            ("<b>x</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
            ("x</i>", "Unexpected end tag at byte offset 1"),
        ],
    )
    async def test_bad_html_is_refused(
        self, ann: Person, raw: httpx.AsyncClient, text: str, reason: str
    ) -> None:
        description = await refusal(raw, "sendMessage", chat_id=42, text=text, parse_mode="HTML")
        assert description == f"can't parse entities: {reason}"
