"""What becomes of long answers and of links, as the chat wants it."""

import pytest

from bot.domain.turn.folding import FILE_NAME, PLAIN_FILE_NAME
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import stage
from tests.scenarios.tools import sending

LONG = "The short of it is this.\n\n" + "And so on. " * 1200


async def test_a_long_answer_comes_as_messages_until_the_chat_wants_a_file() -> None:
    async with stage(says(LONG), says(LONG), says("Short."), says(LONG)) as scene:
        await scene.say("one")
        await scene.settled()
        assert "".join(scene.texts) == LONG.strip()
        before = len(scene.texts)
        await scene.say("/long file")
        await scene.shows("its beginning and a Markdown file")
        await scene.say("two")
        await scene.settled(2)
        told, file = list(scene.channel.screen.values())[before + 1 :]
        assert told.text.startswith("The short of it is this.\n\nAnd so on. ")
        assert told.text.endswith(f"{FILE_NAME}: {len(LONG.strip()):,} characters.")
        assert file.piece.body["file"] == LONG.strip()
        await scene.say("three")
        await scene.settled(3)
        assert scene.texts[-1] == "Short."
        await scene.say("/long messages")
        await scene.shows("From now on an answer of more than 12,000 characters comes as several")
        await scene.say("four")
        await scene.settled(4)
        assert scene.texts[-1].endswith("And so on.")


async def test_the_command_without_a_word_tells_what_is_set() -> None:
    async with stage() as scene:
        for said, told in (
            ("/long", "At the moment, an answer of more than 12,000 characters comes"),
            ("/long pigeon", "At the moment, an answer of more than 12,000 characters comes"),
            ("/previews", "Links show no preview"),
            ("/previews on", "From now on links show a preview."),
            ("/previews maybe", "Links in my answers show a preview"),
            ("/previews off", "Links show no preview."),
        ):
            await scene.say(said)
            await scene.shows(told)


async def test_links_show_what_is_behind_them_only_where_the_chat_wants_it() -> None:
    send = calls(call("a", "send", {"what": "https://example.com"}))
    again = calls(call("b", "send", {"what": "https://example.com"}))
    script = send, says("One."), again, says("Two.")
    async with stage(*script, tools=[sending()]) as scene:
        await scene.say("one")
        await scene.settled()
        await scene.say("/previews on")
        await scene.shows("From now on links")
        await scene.say("two")
        await scene.settled(2)
        rows = scene.store.rows.outbox.values()
        for kind in ("send:", "answer:"):
            shown = [row.content.previews for row in rows if row.key.startswith(kind)]
            assert shown == [False, True]


async def test_where_long_answers_are_always_a_file_nothing_can_be_chosen() -> None:
    async with stage() as scene:
        scene.channel.folds_above = 8_000
        for said in ("/long", "/long messages"):
            await scene.say(said)
            told = await scene.shows("Here an answer of more than 8,000 characters always comes as")
            assert told.endswith("This cannot be changed.")
        assert not any(shown.piece.body.get("buttons") for shown in scene.channel.screen.values())
        await scene.say("/help all")
        assert "`/long" not in await scene.shows("`/previews on|off`")
        scene.channel.folds_above = None
        await scene.say("/help chat")
        await scene.shows("`/long messages|file`")


@pytest.mark.parametrize(
    ("end", "name"), [("[more](https://evil.example/)", PLAIN_FILE_NAME), ("", FILE_NAME)]
)
async def test_beside_foreign_text_a_file_that_could_hold_a_link_is_a_plain_text(
    end: str, name: str
) -> None:
    async with stage(says(LONG + end)) as scene:
        await scene.say("/long file")
        await scene.shows("its beginning and a Markdown file")
        await scene.say("Look at this", forwarded_from="Eve")
        await scene.settled()
        await scene.shows(f"The whole answer is in {name}:")
