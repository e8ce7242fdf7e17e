"""What of an answer's parts is told, whatever a server puts into them."""

import mcp_types as types
import pytest

from bot.adapters.mcp.content import answer


@pytest.mark.parametrize("data", ["ü", "%%%", "abc"])
def test_a_picture_that_cannot_be_decoded_is_told(data: str) -> None:
    block = types.ImageContent(type="image", data=data, mime_type="image/png")
    told = answer(types.CallToolResult(content=[block]))
    assert told.text == "[a picture, image/png, which cannot be decoded]"
    assert told.pictures == ()
