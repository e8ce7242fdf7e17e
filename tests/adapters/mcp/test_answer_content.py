"""What of an answer's parts is told, whatever a server puts into them."""

import base64
import json
from typing import Any

import mcp_types as types
import pytest

from bot.adapters.mcp.content import MOST_FILES, answer

ENCODED = base64.b64encode(bytes(range(256)) * 20).decode()


def told(*blocks: types.ContentBlock, structured: Any = None) -> str:
    result = types.CallToolResult(content=list(blocks), structured_content=structured)
    return answer(result).text


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def blob(uri: str, kind: str | None = None, data: str = ENCODED) -> types.EmbeddedResource:
    inner = types.BlobResourceContents(uri=uri, mime_type=kind, blob=data)
    return types.EmbeddedResource(type="resource", resource=inner)


@pytest.mark.parametrize("data", ["ü", "%%%", "abc"])
def test_a_picture_that_cannot_be_decoded_is_told(data: str) -> None:
    block = types.ImageContent(type="image", data=data, mime_type="image/png")
    told = answer(types.CallToolResult(content=[block]))
    assert told.text == "[a picture, image/png, which cannot be decoded]"
    assert told.files == ()


@pytest.mark.parametrize(
    ("words", "structured"),
    [
        ("hello", {"result": "hello"}),
        ("line one\nline two", {"content": "line one\nline two"}),
        ("All is deleted.", {"success": True, "message": "All is deleted."}),
        ('[{"name": "Ann", "old": true}]', {"entities": [{"name": "Ann", "old": True}]}),
        ('{"a": [1, 2.5], "b": false}', {"b": False, "a": [1, 2.5]}),
        ("The sum of 2 and 3 is 5.", {"a": 2, "b": 3, "sum": 5}),
        ("hello", {"content": [{"type": "text", "text": "hello"}]}),
    ],
)
def test_structured_content_that_says_nothing_new_is_left_out(words: str, structured: Any) -> None:
    assert told(text(words), structured=structured) == words


@pytest.mark.parametrize(
    ("words", "structured"),
    [
        ("Done.", {"id": 17}),
        ("The connection stands.", {"state": "on"}),
        ("Looked at it.", {"valid": False}),
        ("17 files", {"files": 1}),
    ],
)
def test_structured_content_that_says_something_new_is_told(words: str, structured: Any) -> None:
    assert told(text(words), structured=structured) == f"{words}\n{json.dumps(structured)}"
    assert json.loads(told(structured=structured)) == structured


@pytest.mark.parametrize(("kind", "mime"), [("image", "image/png"), ("audio", "audio/wav")])
@pytest.mark.parametrize("data", [ENCODED, base64.b64encode(b"short").decode()])
def test_the_bytes_of_a_picture_or_sound_never_reach_the_model(
    kind: str, mime: str, data: str
) -> None:
    part = {"type": kind, "data": data, "mimeType": mime}
    block = types.CallToolResult.model_validate({"content": [part]}).content[0]
    whole = told(block, structured={"content": [part]})
    assert data not in whole
    assert "content" not in whole
    assert data not in told(text("A picture."), structured={"shot": part, "width": 7})
    assert data not in told(text(json.dumps({"content": [part], "more": "x" * 1000})))


def test_encoded_bytes_without_a_frame_never_reach_the_model() -> None:
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(5_000)).decode()
    whole = told(structured={"shot": f"data:image/png;base64,{ENCODED}", "raw": png, "n": 1})
    assert ENCODED[:100] not in whole
    assert png[:100] not in whole
    assert '"n": 1' in whole
    assert png[:100] not in told(text(png))
    assert told(text("ACGT" * 1_000)) == "ACGT" * 1_000


def test_files_go_to_the_chat_under_their_own_names() -> None:
    sound = types.AudioContent(type="audio", data=ENCODED, mime_type="audio/wav")
    sheet = blob("file:///tmp/My%20figures.xlsx", "application/vnd.ms-excel")
    result = answer(types.CallToolResult(content=[sheet, sound, blob("demo://7")]))
    assert [file.name for file in result.files] == ["My figures.xlsx", "2.wav", "3.bin"]
    assert result.files[0].data == bytes(range(256)) * 20
    assert "[a file, file:///tmp/My%20figures.xlsx, application/vnd.ms-excel, 5.1 kB, sent" in (
        result.text
    )


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///a/..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("file:///a/x%0Aowned%E2%80%AEfdp.exe", "x_nowned_u202efdp.exe"),
        (f"file:///{'x' * 500}.csv", f"{'x' * 75}….csv"),
        ("file:///.bashrc", "bashrc"),
    ],
)
def test_the_name_of_a_file_stays_on_its_line(uri: str, name: str) -> None:
    (file,) = answer(types.CallToolResult(content=[blob(uri)])).files
    assert file.name == name


def test_more_files_than_a_chat_should_get_are_left_out() -> None:
    result = answer(types.CallToolResult(content=[blob(f"demo://{n}") for n in range(20)]))
    assert len(result.files) == MOST_FILES
    assert result.text.count("left out]") == 20 - MOST_FILES
