"""The demo model: what it shows on request, and that it always says what it is."""

from contextlib import aclosing

import pytest

from bot.adapters.demo_model.model import LABEL, DemoModel
from bot.domain.model import FinishReason, Usage
from bot.domain.plan import APPROVED_NOTE, COLLECTING_NOTE
from bot.domain.skill import Skill
from bot.domain.skill_words import brought, handed_over
from bot.domain.tool import Effect, Replay, ToolCall, ToolSpec
from bot.domain.transcript import CallPart, TextPart
from bot.domain.view import ModelReply, ModelRequest, ResultPart, ViewMessage

TOOLS = tuple(
    ToolSpec(name, name, {"type": "object"}, Effect.READ, Replay.SAFE)
    for name in (
        "current_time",
        "list_files",
        "write_file",
        "run_command",
        "send_message",
        "use_skill",
    )
)


async def reply_to(
    *messages: ViewMessage, tools: tuple[ToolSpec, ...] = TOOLS, calls_allowed: bool = True
) -> ModelReply:
    model = DemoModel()
    request = ModelRequest(model.profile("demo"), "", tools, messages, calls_allowed)
    async with aclosing(model.reply(request)) as stream:
        events = [event async for event in stream]
    reply = events[-1]
    assert isinstance(reply, ModelReply)
    assert text_of(reply).startswith(LABEL)
    return reply


def text_of(reply: ModelReply) -> str:
    return "".join(part.text for part in reply.parts if isinstance(part, TextPart))


def calls_of(reply: ModelReply) -> list[ToolCall]:
    return [part.call for part in reply.parts if isinstance(part, CallPart)]


def user(text: str) -> ViewMessage:
    return ViewMessage("user", (TextPart(text),))


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("What TIME is it?", ["current_time"]),
        ("list my files", ["list_files"]),
        ("make a note", ["write_file"]),
        ("a file please", ["write_file"]),
        ("run something", ["run_command"]),
        ("a command", ["run_command"]),
        ("both at once", ["current_time", "list_files"]),
        ("a question", ["send_message"]),
        ("a skill", ["use_skill"]),
    ],
)
async def test_a_word_makes_it_call_tools(words: str, names: list[str]) -> None:
    reply = await reply_to(user(words))
    assert [call.name for call in calls_of(reply)] == names
    assert reply.finish is FinishReason.CALLS
    assert len({call.id for call in calls_of(reply)}) == len(names)


async def test_the_demo_command_and_question_are_these() -> None:
    (command,) = calls_of(await reply_to(user("run")))
    assert command.arguments == {"command": "echo hello from the demo"}
    (question,) = calls_of(await reply_to(user("question")))
    assert question.arguments is not None
    assert question.arguments["is_question"] is True


@pytest.mark.parametrize("words", ["hello", "help", "something quite different", ""])
async def test_other_words_get_the_list_of_what_it_shows(words: str) -> None:
    reply = await reply_to(user(words))
    assert "*command*" in text_of(reply)
    assert reply.finish is FinishReason.END
    assert reply.usage == Usage()


async def test_a_long_answer_has_every_kind_of_formatting() -> None:
    text = text_of(await reply_to(user("something long")))
    assert len(text) > 4096
    for mark in ("# ", "- ", "1. ", "```python", "|---|", "> "):
        assert f"\n{mark}" in text


async def test_what_is_true_only_now_is_not_taken_for_a_wish() -> None:
    reply = await reply_to(user("Good day\n\n<now>the time is 12:00</now>"))
    assert calls_of(reply) == []


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (ResultPart("c1", "12:00 UTC", is_error=False), "`current_time` gave back"),
        (ResultPart("c1", "denied: not now", is_error=True), "`current_time` did not succeed"),
        (ResultPart("c1", "", is_error=False), "nothing"),
        (ResultPart("c1", "a ```fence``` inside", is_error=False), "````\na ```fence``` inside"),
    ],
)
async def test_results_are_told_with_their_text(result: ResultPart, told: str) -> None:
    called = ViewMessage("assistant", (CallPart(ToolCall("c1", "current_time", "{}", {})),))
    reply = await reply_to(user("time"), called, ViewMessage("user", (result,)))
    assert told in text_of(reply)
    assert result.text in text_of(reply)
    assert reply.finish is FinishReason.END


async def test_a_new_message_behind_a_result_is_a_new_wish() -> None:
    called = ViewMessage("assistant", (CallPart(ToolCall("c1", "run_command", "{}", {})),))
    skipped = ResultPart("c1", "waits for a decision", is_error=True)
    newest = ViewMessage("user", (skipped, TextPart("What time is it?")))
    (call,) = calls_of(await reply_to(user("run"), called, newest))
    assert call.name == "current_time"


async def test_a_wrap_up_tells_the_results_and_calls_nothing() -> None:
    called = ViewMessage("assistant", (CallPart(ToolCall("c1", "run_command", "{}", {})),))
    newest = ViewMessage("user", (ResultPart("c1", "done", False), TextPart("Time to end.")))
    reply = await reply_to(user("run"), called, newest, calls_allowed=False)
    assert calls_of(reply) == []
    assert "done" in text_of(reply)


async def test_a_late_result_is_quoted_and_starts_nothing() -> None:
    reply = await reply_to(user("[Late result] write_file (note.txt): approved."))
    assert calls_of(reply) == []
    assert "write_file (note.txt): approved." in text_of(reply)


async def test_a_missing_tool_is_named() -> None:
    reply = await reply_to(user("both"), tools=TOOLS[1:])
    assert calls_of(reply) == []
    assert "`current_time`" in text_of(reply)
    assert "`list_files`" not in text_of(reply)


async def test_in_plan_mode_it_plans_two_steps_and_hands_them_in() -> None:
    newest = ViewMessage("user", (TextPart(f"{COLLECTING_NOTE} Plan."), TextPart("make a plan")))
    tools = (*TOOLS, ToolSpec("submit_plan", "", {}, Effect.READ, Replay.SAFE))
    reply = await reply_to(newest, tools=tools)
    names = [call.name for call in calls_of(reply)]
    assert names == ["write_file", "run_command", "submit_plan"]
    assert calls_of(await reply_to(user("make a plan"), tools=tools)) == []


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("time-2__now", {}),
        ('Now time-2__now {"zone": {"name": "UTC"}}, please {so}', {"zone": {"name": "UTC"}}),
    ],
)
async def test_a_tool_of_a_server_is_called_by_its_name(
    words: str, arguments: dict[str, object]
) -> None:
    tools = (*TOOLS, ToolSpec("time-2__now", "", {}, Effect.WRITE, Replay.ONCE))
    (call,) = calls_of(await reply_to(user(words), tools=tools))
    assert (call.name, call.arguments) == ("time-2__now", arguments)
    note = f'{APPROVED_NOTE} Go.\n1. time-2__now {{"zone":"UTC"}}'
    (step,) = calls_of(await reply_to(user(note), tools=tools))
    assert (step.name, step.canonical) == ("time-2__now", '{"zone":"UTC"}')


async def test_a_servers_tool_that_is_not_there_is_told() -> None:
    assert "there is no tool `time__now` here" in text_of(await reply_to(user("time__now")))
    assert "/tools" in text_of(await reply_to(user("show me a server")))


@pytest.mark.parametrize("behind", ['{"zone": "U', '{"zone": "\\ud800"}', '{"hours": 1e999}'])
async def test_arguments_that_cannot_be_read_are_told(behind: str) -> None:
    tools = (*TOOLS, ToolSpec("time__now", "", {}, Effect.WRITE, Replay.ONCE))
    reply = await reply_to(user(f"time__now {behind}"), tools=tools)
    assert calls_of(reply) == []
    assert "its arguments are one JSON object" in text_of(reply)


async def test_an_approved_plan_is_carried_out_to_the_letter() -> None:
    note = f'{APPROVED_NOTE} Go.\n1. [done] write_file: wrote it\n2. run_command {{"command":"ls"}}'
    (call,) = calls_of(await reply_to(user(note)))
    assert (call.name, call.canonical) == ("run_command", '{"command":"ls"}')


async def test_it_tells_of_a_pipeline_and_hears_a_wish_beside_a_skill() -> None:
    skill = Skill("minutes-review", "Checks.", "Check them.", "/skills/minutes-review")
    over = ViewMessage("user", (TextPart(handed_over(skill, "meeting-minutes").text),))
    told = text_of(await reply_to(user("skill"), over))
    assert "second skill of a pipeline" in told
    assert "minutes-review is at work now, in place of meeting-minutes" in told
    both = ViewMessage("user", (TextPart("What time is it?"), TextPart(brought(skill).text)))
    assert [call.name for call in calls_of(await reply_to(both))] == ["current_time"]
