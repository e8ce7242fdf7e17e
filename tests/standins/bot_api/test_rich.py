"""Rich messages: what the stand-in takes and refuses, and a server without them."""

import httpx
import pytest

from tests.standins.bot_api import BotApi, Person
from tests.standins.bot_api.asking import refusal, result

TABLE = "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"


@pytest.fixture
def api() -> BotApi:
    return BotApi(rich=True)


async def test_a_rich_message_is_shown_edited_and_given_back_as_blocks(
    api: BotApi, ann: Person, raw: httpx.AsyncClient
) -> None:
    html = f'<h2>T &amp; U</h2>{TABLE}<ul><li><input type="checkbox" checked>x</li></ul>'
    sent = await result(raw, "sendRichMessage", chat_id=42, rich_message={"html": html})
    [shown] = api.screen(42).messages
    assert shown.text == "T & U\na\n1\n☑ x"
    assert [block["type"] for block in sent["rich_message"]["blocks"]] == [
        "heading",
        "table",
        "list",
    ]
    assert "text" not in sent
    wanted = {"chat_id": 42, "message_id": shown.id, "rich_message": {"html": "<p>new</p>"}}
    await result(raw, "editMessageText", **wanted)
    assert "not modified" in await refusal(raw, "editMessageText", **wanted)
    await result(raw, "editMessageText", chat_id=42, message_id=shown.id, text="plain")
    [shown] = api.screen(42).messages
    assert (shown.text, shown.rich) == ("plain", None)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p></p>",
        "words",
        "<p>a",
        "<p>a</i></p>",
        "<p>a & b</p>",
        "<p>a < b</p>",
        "<p>&euro;</p>",
        "<div>a</div>",
        '<p onclick="x">a</p>',
        "<p><table></table></p>",
        "<ul>a</ul>",
        "<ul><li>a<p>b</p></li></ul>",
        "<table><tr>" + "<td>1</td>" * 21 + "</tr></table>",
        "<p>" + "<b>" * 16 + "a" + "</b>" * 16 + "</p>",
        "<hr>" * 501,
        "<p>" + "x" * 32_769 + "</p>",
        '<p><a href="nowhere">a</a></p>',
        "<details><p>a</p></details>",
        "<p><tg-math><b>x</b></tg-math></p>",
    ],
)
async def test_what_is_not_documented_or_too_much_is_refused(
    api: BotApi, ann: Person, raw: httpx.AsyncClient, html: str
) -> None:
    assert await refusal(raw, "sendRichMessage", chat_id=42, rich_message={"html": html})
    assert api.screen(42).messages == ()


async def test_a_draft_is_shown_in_private_alone_and_ends_with_the_message(
    api: BotApi, ann: Person, raw: httpx.AsyncClient
) -> None:
    drafted = {"draft_id": 1, "rich_message": {"html": TABLE}}
    await result(raw, "sendRichMessageDraft", chat_id=42, **drafted)
    assert api.screen(42).draft == "a\n1"
    await result(raw, "sendMessageDraft", chat_id=42, draft_id=1, text="older")
    assert [draft.rich for draft in api.screen(42).drafts] == [None]
    group = api.group("Team", ann)
    described = await refusal(raw, "sendRichMessageDraft", chat_id=group.id, **drafted)
    assert described == "TEXTDRAFT_PEER_INVALID"
    await result(raw, "sendRichMessage", chat_id=42, rich_message={"html": TABLE})
    assert api.screen(42).draft is None


async def test_an_older_server_knows_neither_methods_nor_field(
    api: BotApi, ann: Person, raw: httpx.AsyncClient
) -> None:
    api.rich = False
    for method in ("sendRichMessage", "sendRichMessageDraft"):
        answer = await raw.post(method, json={"chat_id": 42, "rich_message": {"html": TABLE}})
        assert answer.status_code == 404
        assert answer.json()["description"] == "Not Found: method not found"
    sent = await result(raw, "sendMessage", chat_id=42, text="x")
    edit = {"message_id": sent["message_id"], "rich_message": {"html": TABLE}}
    assert await refusal(raw, "editMessageText", chat_id=42, **edit) == "message text is empty"
