"""The demo model: what it shows on request, and that it always says what it is."""

from contextlib import aclosing

import pytest

from bot.adapters.demo_model.model import LABEL, DemoModel
from bot.adapters.demo_model.sketches import sketch_of
from bot.domain.money.model import FinishReason, Usage
from bot.domain.plans.plan import APPROVED_NOTE, COLLECTING_NOTE
from bot.domain.skills.skill import Skill
from bot.domain.skills.skill_words import brought, handed_over
from bot.domain.tools.tool import Effect, Replay, ToolCall, ToolSpec
from bot.domain.turn.transcript import CallPart, TextPart
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart, ViewMessage
from tests.words import DEMO_CLOCK

TOOLS = tuple(
    ToolSpec(name, name, {"type": "object"}, Effect.READ, Replay.SAFE)
    for name in (
        "current_time",
        "list_files",
        "write_file",
        "edit_file",
        "run_command",
        "read_skill_file",
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
        ("notes to minutes", ["use_skill"]),
        ("tidy a csv file", ["write_file", "use_skill"]),
        ("run the tests", ["write_file"]),
        ("three cards", ["write_file"] * 3),
        ("always", ["write_file"]),
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
async def test_other_words_get_the_list_of_what_it_shows_the_simple_first(words: str) -> None:
    reply = await reply_to(user(words))
    text = text_of(reply)
    places = [text.index(f"*{word}*") for word in ("time", "note", "minutes", "plan", "server")]
    assert places == sorted(places)
    assert reply.finish is FinishReason.END
    assert reply.usage == Usage()


@pytest.mark.parametrize(
    ("words", "told"),
    [("tea please", "Tea it is."), ("Coffee!", "Coffee it is."), ("water", "“water” it is.")],
)
async def test_it_takes_the_answer_to_its_own_question(words: str, told: str) -> None:
    conversation = await Conversation().says("a question")
    assert told in text_of(await reply_to(*conversation.messages, user(words)))
    assert calls_of(await reply_to(*conversation.messages, user("What time is it?"))) != []


class Conversation:
    """A talk with the demo, whose calls get the results that a test chooses."""

    def __init__(self) -> None:
        self.messages: list[ViewMessage] = []
        self.said: list[str] = []
        self.called: list[list[ToolCall]] = []

    async def says(self, words: str) -> "Conversation":
        self.messages.append(user(words))
        return await self._replied()

    async def gets(self, *results: str, failed: bool = False) -> "Conversation":
        """Answers the calls of the newest reply."""
        found = zip(self.called[-1], results, strict=True)
        parts = tuple(ResultPart(call.id, text, failed) for call, text in found)
        self.messages.append(ViewMessage("user", parts))
        return await self._replied()

    async def _replied(self) -> "Conversation":
        reply = await reply_to(*self.messages)
        self.messages.append(ViewMessage("assistant", reply.parts))
        self.said.append(text_of(reply))
        self.called.append(calls_of(reply))
        return self


async def test_the_tests_scene_takes_a_denial_and_goes_another_way() -> None:
    talk = await Conversation().says("tests")
    await talk.gets("Wrote it.")
    await talk.gets("exit code 1\nAssertionError: 11.88 != 11.89", failed=True)
    assert [call.name for call in talk.called[-1]] == ["edit_file"]
    denied = "Ann denied this call. They said: fix the program"
    await talk.gets(denied, failed=True)
    assert "> fix the program" in talk.said[-1]
    assert [call.name for call in talk.called[-1]] == ["edit_file", "run_command"]
    await talk.gets("Changed.", "exit code 0\nOK")
    assert (talk.called[-1], "both tests pass" in talk.said[-1]) == ([], True)


async def test_a_denial_that_did_not_come_ends_the_tests_scene_with_what_it_means() -> None:
    talk = await Conversation().says("tests")
    await talk.gets("Wrote it.")
    await talk.gets("AssertionError: 11.88 != 11.89", failed=True)
    await talk.gets("Changed.")
    assert (talk.called[-1], "You approved it" in talk.said[-1]) == ([], True)


async def test_a_denied_call_ends_a_scene_with_the_reason() -> None:
    talk = await Conversation().says("note")
    await talk.gets("Ann denied this call. They said: not now", failed=True)
    assert talk.called[-1] == []
    assert "> not now" in talk.said[-1]
    assert "That was not approved" in talk.said[-1]


@pytest.mark.parametrize(("result", "failed"), [("python3: not found", True), ("all good", False)])
async def test_what_does_not_fit_the_recording_is_shown_and_ends_the_scene(
    result: str, failed: bool
) -> None:
    talk = await Conversation().says("tests")
    await talk.gets("Wrote it.")
    await talk.gets(result, failed=failed)
    assert talk.called[-1] == []
    assert result in talk.said[-1]
    assert "otherwise than in my recording" in talk.said[-1]


async def test_a_skill_is_put_away_before_the_last_words() -> None:
    talk = await Conversation().says("csv")
    await talk.gets("Wrote it.", "tidy-csv is at work.")
    await talk.gets("Ann denied this call.", failed=True)
    assert [call.arguments for call in talk.called[-1]] == [{"name": "none"}]
    await talk.gets("tidy-csv is not at work any more.")
    assert (talk.called[-1], "That was not approved" in talk.said[-1]) == ([], True)


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
        (ResultPart("c1", "12:00 UTC", is_error=False), DEMO_CLOCK),
        (ResultPart("c1", "there is no clock", is_error=True), "otherwise than in my recording"),
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
    late = "[Late result] write_file (Create note.txt): approved by Ann at 14:03 UTC; success."
    reply = await reply_to(user(f"{late}\n<output>\nWrote 4 B.\n</output>"))
    assert calls_of(reply) == []
    assert (
        "You decided after I had answered. Create note.txt: approved.\n\n```\nWrote 4 B."
        in text_of(reply)
    )
    assert "Late result" not in text_of(reply)


async def test_a_missing_tool_is_named() -> None:
    reply = await reply_to(user("both"), tools=TOOLS[1:])
    assert calls_of(reply) == []
    assert "`current_time`" in text_of(reply)
    assert "`list_files`" not in text_of(reply)


async def test_in_plan_mode_it_plans_three_steps_and_hands_them_in() -> None:
    newest = ViewMessage("user", (TextPart(f"{COLLECTING_NOTE} Plan."), TextPart("make a plan")))
    tools = (*TOOLS, ToolSpec("submit_plan", "", {}, Effect.READ, Replay.SAFE))
    reply = await reply_to(newest, tools=tools)
    names = [call.name for call in calls_of(reply)]
    assert names == ["write_file", "run_command", "write_file", "submit_plan"]
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


async def test_minutes_are_drafted_checked_and_given_without_the_drafts_proofs() -> None:
    talk = await Conversation().says("minutes")
    await talk.gets("meeting-minutes is at work.")
    await talk.gets("the template")
    assert "From the notes" in talk.said[-1]
    skill = Skill("minutes-review", "Checks.", "Check them.", "/skills/minutes-review")
    over = ViewMessage("user", (TextPart(handed_over(skill, "meeting-minutes").text),))
    talk.messages.append(over)
    put_away = await reply_to(*talk.messages)
    assert [call.arguments for call in calls_of(put_away)] == [{"name": "none"}]
    result = ResultPart(calls_of(put_away)[0].id, "minutes-review is not at work any more.", False)
    last = [ViewMessage("assistant", put_away.parts), ViewMessage("user", (result,))]
    told = text_of(await reply_to(*talk.messages, *last))
    assert "Who asks the landlord" in told
    assert "From the notes" not in told


async def test_it_hears_a_wish_beside_a_skill() -> None:
    skill = Skill("minutes-review", "Checks.", "Check them.", "/skills/minutes-review")
    both = ViewMessage("user", (TextPart("What time is it?"), TextPart(brought(skill).text)))
    assert [call.name for call in calls_of(await reply_to(both))] == ["current_time"]


def test_the_words_around_the_name_of_a_file_tell_what_is_wished() -> None:
    note, plan = sketch_of("Write a note"), sketch_of("/plan make a plan")
    assert None not in (note, plan)
    assert sketch_of("Write a note to plan.txt") is note
    assert sketch_of("Make a plan. Then report") is plan
    assert sketch_of("plan.txt") is plan


@pytest.mark.parametrize("piece", ["W", "a_", "a__", "W-"])
def test_a_long_word_costs_no_more_than_its_length(piece: str) -> None:
    """Bounded by the time-out of a test: what takes the square of a length does not end."""
    sketch_of(f"{piece * 500_000} ")
