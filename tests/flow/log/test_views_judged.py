"""Whole conversations, judged at each request by the strict stand-in's own rules.

Whatever the model answers and wherever a turn is stopped, killed or cut, the next request is
accepted: by its form, and by the thinking that is bound to all that stands before it.
"""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.anthropic.profiles import profile
from bot.adapters.anthropic.reply_builder import ReplyBuilder
from bot.adapters.anthropic.request_body import RequestEncoder
from bot.domain.money.model import FinishReason
from bot.domain.tools.tool import Effect, Replay, ToolSpec
from bot.domain.turn.reply_mending import admit
from bot.domain.turn.transcript import (
    AskerBody,
    CutBody,
    IntentBody,
    NoteBody,
    Provenance,
    ReplyBody,
    ResultBody,
    SummaryBody,
)
from bot.domain.turn.view import ModelRequest
from bot.flow.log.request_view import ViewFold
from tests.domain.logs import Scribe, closed, progress_of, result
from tests.standins.messages_api import PROFILES, Reply, Usage, calls, empty, text, thinking, tool
from tests.standins.messages_api.issued import Issued
from tests.standins.messages_api.judgement import first_fault
from tests.standins.messages_api.messages import compose, stream
from tests.standins.messages_api.rules.terms import Terms
from tests.standins.messages_api.wire import Json

TERMS = Terms("2023-06-01", frozenset())
MODELS = ("claude-sonnet-5-5", "claude-haiku-5-5", "claude-sonnet-4-5")
READ = ToolSpec("read_file", "Reads.", {"type": "object"}, Effect.READ, Replay.SAFE)

_CALL = calls(tool("read_file", {"path": "a"}))
_TWO = calls(tool("read_file", {"path": "a"}), tool("run_command<|x|>", pieces=['{"command": ']))
_SAME_IDS = calls(tool("read_file", id="dup"), tool("read_file", id="dup"))
REPLIES = (
    text("Hello."),
    _CALL,
    _TWO,
    _SAME_IDS,
    text("I look. ") + _CALL,
    text(" ") + _TWO,
    _TWO.stopping("max_tokens"),
    (text("So ") + _CALL).stopping("refusal"),
    (text("Done.") + _CALL).stopping("end_turn"),
    text("Wait ").stopping("pause_turn"),
    text("Hm").stopping("something_new"),
    empty(),
    text("\n"),
)


class Talk:
    """A chat whose log is written as the program writes it, with the stand-in for a model."""

    def __init__(self) -> None:
        self.scribe = Scribe().write(AskerBody("Hi", "Ann", moment="Monday"))
        self.model = MODELS[0]
        self.issued = Issued()
        self.taken: set[str] = set()
        self.answers = 0
        self.encoder = RequestEncoder()
        self.folds: dict[str, ViewFold] = {}

    @property
    def last(self) -> ReplyBody | None:
        said = [e.body for e in self.scribe.entries if isinstance(e.body, ReplyBody)]
        return said[-1] if said else None

    def request(self) -> tuple[ModelRequest, Json]:
        """The next request; fails when the stand-in would refuse it."""
        fold = self.folds.setdefault(self.model, ViewFold(profile(self.model)))
        fold.extend(self.scribe.entries[fold.last_seq :])
        request = ModelRequest(profile(self.model), "Be brief.", (READ,), fold.view().messages)
        body: Json = json.loads(self.encoder.encode(request))
        assert first_fault(body, PROFILES[self.model], self.issued, TERMS) is None
        return request, body

    def answer(self, scripted: Reply) -> None:
        """One round trip: the reply comes in through the adapter and is stored."""
        request, body = self.request()
        self.answers += 1
        usage = Usage(input_tokens=10)
        message = compose(scripted, body, message_id=f"msg_{self.answers}", prompt=usage)
        self.issued.remember(self.model, message["content"], message["stop_reason"])
        builder = ReplyBuilder(request)
        for event in stream(scripted, message):
            builder.feed(json.dumps(event.data))
        reply = builder.reply()
        provenance = Provenance("anthropic", self.model, reply.answered_model)
        parts = admit(reply.parts, self.taken)
        self.scribe.write(ReplyBody(parts, reply.finish, provenance, reply.usage))

    def run(self, count: int) -> None:
        """Gives so many open calls a result; one more may have begun."""
        left = [c.call for c in progress_of(self.scribe.entries).open_calls]
        for each in left[:count]:
            self.scribe.write(IntentBody(each.id), ResultBody(result(each)))
        if left[count:]:
            self.scribe.write(IntentBody(left[count].id))

    def close(self) -> None:
        """The turn is at a border: every call has its result."""
        self.scribe = Scribe(closed(self.scribe.entries), self.scribe.turn)

    def go_on(self) -> None:
        """What the program writes before it asks the model once more."""
        last = self.last
        if last is None or last.calls or last.finish is FinishReason.PAUSE:
            return
        if last.text or last.finish is FinishReason.REFUSAL:
            self.ask()
        else:
            self.scribe.write(NoteBody("nudge", "Please answer."))

    def ask(self) -> None:
        """The turn is over, by whatever end, and the person writes again."""
        self.close()
        self.scribe.write(NoteBody("ended", "[Turn ended: user_cancelled]"))
        self.scribe.open(AskerBody("And now?", "Ann", moment="Tuesday"))

    def cut(self, *, summary: bool) -> None:
        borders = self.scribe.borders
        if summary and borders:
            self.scribe.write(SummaryBody(borders[-1], "They talked."))
        else:
            shown = [e.seq for e in self.scribe.entries if isinstance(e.body, ResultBody)]
            self.scribe.write(CutBody(tuple(shown), 1))


def thought(said: Reply) -> Reply:
    """The reply with thinking before it; a paused one has none.

    The stand-in knows the thinking of a tool loop by its calls, and a pause has none of its own.
    """
    return said if said.stop_reason == "pause_turn" else thinking("hm") + said


rounds = st.tuples(
    st.sampled_from(REPLIES),
    st.booleans(),
    st.integers(0, 2),
    st.sampled_from(["go on", "go on", "go on", "stop", "cut", "summary", "switch", "steer"]),
    st.sampled_from(MODELS),
)


@settings(max_examples=300)
@given(st.lists(rounds, min_size=1, max_size=9))
def test_no_request_of_any_conversation_is_refused(
    script: list[tuple[Reply, bool, int, str, str]],
) -> None:
    talk = Talk()
    for said, thinks, done, then, model in script:
        talk.answer(thought(said) if thinks and talk.model != MODELS[2] else said)
        talk.run(done)
        talk.close()
        match then:
            case "stop":
                talk.ask()
            case "cut" | "summary":
                talk.cut(summary=then == "summary")
            case "switch":
                talk.model = model
            case "steer":
                talk.scribe.write(AskerBody("Be quick", "Ann", steering=True))
            case _:
                pass
        talk.go_on()
    talk.request()


@given(st.lists(st.tuples(st.sampled_from(REPLIES), st.booleans()), min_size=1, max_size=6))
def test_each_request_begins_with_the_one_before(script: list[tuple[Reply, bool]]) -> None:
    talk = Talk()
    before: list[tuple[str, Json]] = []
    for said, thinks in script:
        talk.answer(thought(said) if thinks else said)
        talk.close()
        talk.go_on()
        sent = blocks_of(talk.request()[1])
        assert sent[: len(before)] == before
        before = sent


def blocks_of(body: Json) -> list[tuple[str, Json]]:
    """All content blocks with their roles; marks of the cache are not part of them."""
    return [
        (m["role"], {k: v for k, v in block.items() if k != "cache_control"})
        for m in body["messages"]
        for block in m["content"]
    ]
