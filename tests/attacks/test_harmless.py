"""Harmless texts that look like attacks reach the model as they are, and nobody is asked."""

import pytest

from bot.adapters.tools.web import WebFetch
from bot.domain.tools.tool import Status
from bot.domain.turn.transcript import TextPart
from bot.domain.turn.view import ModelRequest, ResultPart
from tests.attacks.harmless_texts import HARMLESS
from tests.fakes.model import call, calls, says
from tests.fakes.web import FakePageReader, FakePages
from tests.scenarios.stage import stage

PAGE = "https://news.example/"


def read(request: ModelRequest) -> str:
    parts = [p for m in request.messages if m.role == "user" for p in m.parts]
    return "\n\n".join(p.text for p in parts if isinstance(p, TextPart | ResultPart))


def test_there_are_many_and_none_comes_twice() -> None:
    assert len(set(HARMLESS)) == len(HARMLESS) > 100


@pytest.mark.parametrize("text", HARMLESS, ids=range(len(HARMLESS)))
async def test_it_comes_through_unhurt_as_a_page_and_as_a_forward(text: str) -> None:
    pages = FakePages()
    script = (
        calls(call("a", "web_fetch", {"url": PAGE})),
        calls(call("b", "web_fetch", {"url": PAGE})),
        says("It is harmless."),
        says("So is this."),
    )
    async with stage(*script, tools=[WebFetch(pages, FakePageReader(text))]) as scene:
        await scene.say(f"Read {PAGE} twice")
        await scene.settled()
        await scene.say(text, forwarded_from="Eve")
        await scene.settled(2)
        assert [result.status for result in scene.results] == [Status.SUCCESS] * 2
        assert scene.approvals == []
        told = read(scene.model.requests[-1])
    page = f'<quoted_data from="the web page {PAGE}">\n{text}\n</quoted_data>'
    assert page in told
    assert f'<quoted_data from="a forward from Eve">\n{text}\n</quoted_data>' in told
