"""Each topic is a chat of its own, in groups and in private chats."""

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.bot_api import Chat, ShownMessage
from tests.standins.messages_api import Gate, calls, text, thinking, tool
from tests.words import APPROVE

ABOUT_THREADS = ("message thread not found", "TOPIC_CLOSED", "sendMessage: 400")


async def sees(steward: Steward, chat: Chat, words: str) -> ShownMessage:
    """Wait until the bot has said this in the chat."""
    screen = steward.telegram.screen
    found = await steward.until(lambda: [m for m in screen(chat.id).from_bot if words in m.text])
    return found[-1]


@pytest.mark.telegrams_own("forum topics; Discord's threads have tests of their own")
async def test_topics_of_a_private_chat_are_strangers_to_one_another(steward: Steward) -> None:
    telegram = steward.telegram
    chat = telegram.private_chat(steward.ann)
    work, play = telegram.topic(chat, "Work"), telegram.topic(chat, "Play")
    first, second = Gate(), Gate()
    steward.script(
        text("Work it is.").held(first),
        thinking("Go on.") + text("To play.").held(second),
        text("Here."),
    )

    def signed() -> set[str | None]:
        signs = telegram.calls_of("sendMessageDraft", "sendChatAction")
        return {call.params.get("message_thread_id") for call in signs}

    await steward.start()
    steward.say("the secret is 7", topic=work)
    await first.arrived()
    await steward.until(lambda: signed() == {str(work)})
    first.release()
    assert (await steward.sees("Work it is.")).thread_id == work
    steward.say("let us play", topic=play)
    await second.arrived()
    await steward.until(lambda: signed() == {str(work), str(play)})
    second.release()
    assert (await steward.sees("To play.")).thread_id == play
    steward.say("and outside of both")
    assert (await steward.sees("Here.")).thread_id is None
    for request in steward.model.requests[1:]:
        assert "secret" not in str(request.body["messages"])


@pytest.mark.telegrams_own("forum topics; Discord's threads have tests of their own")
async def test_files_cards_and_replies_stay_in_their_topic(steward: Steward) -> None:
    telegram = steward.telegram
    chat = telegram.private_chat(steward.ann)
    topic = telegram.topic(chat, "Reports")
    (steward.workspace / "report.txt").write_text("all is well")
    sent = tool("send_file", {"path": "report.txt", "caption": "The report"}, id="toolu_1")
    write = tool("write_file", {"path": "b.txt", "content": "b"}, id="toolu_2")
    steward.script(thinking("Both.") + calls(sent, write), text("All done."))
    await steward.start()
    steward.say("report", topic=topic)
    steward.press(await steward.card(), APPROVE)
    await steward.sees("All done.")
    assert {message.thread_id for message in steward.shown} == {topic}
    assert any(message.file is not None for message in steward.shown)


@pytest.mark.telegrams_own("forum topics; Discord's threads have tests of their own")
async def test_the_general_topic_is_answered_without_naming_it(steward: Steward) -> None:
    telegram = steward.telegram
    team = telegram.group("Team", steward.ann)
    topic = telegram.topic(team, "Releases")
    steward.script(text("In general."), text("In particular."), text("In general again."))
    await steward.start()
    telegram.say(steward.ann, "@steward_bot hello", chat=team)
    assert (await sees(steward, team, "In general.")).thread_id is None
    telegram.say(steward.ann, "@steward_bot hello", chat=team, topic=topic)
    assert (await sees(steward, team, "In particular.")).thread_id == topic
    telegram.say(steward.ann, "@steward_bot hello", chat=team, topic=1)
    assert (await sees(steward, team, "In general again.")).thread_id is None
    assert "In general." in str(steward.model.requests[2].body["messages"])
    assert "In particular." not in str(steward.model.requests[2].body["messages"])


@pytest.mark.telegrams_own("forum topics; Discord's threads have tests of their own")
async def test_an_answer_for_a_deleted_topic_is_given_up_and_the_others_go_on(
    steward: Steward,
) -> None:
    telegram = steward.telegram
    steward.foreseen += ABOUT_THREADS
    team = telegram.group("Team", steward.ann)
    gone, stays = telegram.topic(team, "Gone"), telegram.topic(team, "Stays")
    held = Gate()
    steward.script(thinking("Hm.") + text("Too late.").held(held), text("Still here."))
    await steward.start()
    telegram.say(steward.ann, "@steward_bot think", chat=team, topic=gone)
    await held.arrived()
    telegram.delete_topic(team, gone)
    held.release()
    await steward.eventually(
        lambda: steward.records.rows("SELECT 1 FROM outbox WHERE state='dead'")
    )
    tried = len(telegram.calls_of("sendMessage"))
    telegram.say(steward.ann, "@steward_bot hello", chat=team, topic=stays)
    assert (await sees(steward, team, "Still here.")).thread_id == stays
    assert len(telegram.calls_of("sendMessage")) == tried + 1


@pytest.mark.telegrams_own("forum topics; Discord's threads have tests of their own")
async def test_a_closed_topic_blocks_the_call_it_cannot_ask_for_and_a_reopened_one_is_answered(
    steward: Steward,
) -> None:
    telegram = steward.telegram
    steward.foreseen += ABOUT_THREADS
    team = telegram.group("Team", steward.ann)
    topic = telegram.topic(team, "Releases")
    held = Gate()
    write = tool("write_file", {"path": "a.txt", "content": "a"})
    steward.script(
        thinking("Write.") + calls(write).held(held),
        thinking("Not asked.") + text("Lost."),
        thinking("Open.") + text("Open again."),
    )
    await steward.start()
    telegram.say(steward.ann, "@steward_bot write", chat=team, topic=topic)
    await held.arrived()
    telegram.close_topic(team, topic)
    held.release()
    dead = "SELECT 1 FROM outbox WHERE state='dead'"
    await steward.eventually(lambda: len(steward.records.rows(dead)) == 2)
    assert "could not be shown" in str(steward.model.requests[1].body["messages"])
    telegram.reopen_topic(team, topic)
    telegram.say(steward.ann, "@steward_bot hello?", chat=team, topic=topic)
    assert (await sees(steward, team, "Open again.")).thread_id == topic
    assert list(steward.workspace.rglob("a.txt")) == []
    assert "hello?" in words_in(steward.model.requests[2])


@pytest.mark.telegrams_own("messages have no names")
async def test_answers_that_a_killed_program_had_sent_stay_each_in_its_topic(
    steward: Steward,
) -> None:
    telegram, team = steward.telegram, steward.team()
    work, play = telegram.topic(team, "Work"), telegram.topic(team, "Play")
    steward.script(text("Hello."), text("About play."), text("About work."))
    await steward.start()
    await steward.sees("I am in the group")
    steward.call("hello", at=team, topic=work)
    await sees(steward, team, "Hello.")
    await steward.recorded()
    for told, topic in (("About play.", play), ("About work.", work)):
        sending = telegram.hold("sendMessage", after_work=True)
        steward.call("think", at=team, topic=topic)
        await sending.arrived()
        await sees(steward, team, told)
    shown = telegram.screen(team.id).from_bot
    await steward.restart()
    await steward.recorded()
    after = telegram.screen(team.id).from_bot
    assert [(m.id, m.text, m.thread_id) for m in after] == [
        (m.id, m.text, m.thread_id) for m in shown
    ]
