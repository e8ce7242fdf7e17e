"""Conversations that go to and fro between providers, each request judged by its own service.

A chat may change its model at any time, in the middle of tools too. Whatever was written before,
the next request is accepted by the strict stand-in of whoever is asked, and what a provider put
beside its replies comes back to it as it was.
"""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.anthropic.profiles import profile as claude
from bot.adapters.openai import reply_builder, request_body
from bot.adapters.sql.codec import BODY
from bot.domain.money.model import ModelProfile
from bot.domain.money.provider import ProviderSpec
from bot.domain.turn.reply_mending import admit
from bot.domain.turn.transcript import AskerBody, Provenance, ReplyBody
from bot.domain.turn.view import ModelRequest
from bot.flow.log.request_view import ViewFold
from tests.flow.log.test_views_judged import READ, REPLIES, Talk, thought
from tests.standins import chat_completions as chat
from tests.standins.chat_completions.events import chunks, composed
from tests.standins.chat_completions.limits import LIMITS
from tests.standins.chat_completions.rules import Issued, first_refusal
from tests.standins.messages_api import Reply
from tests.standins.messages_api.wire import Json

LOCAL = ModelProfile("local", "qwen-local", 30_000, 4_000, thinks=False, trusted=False)
CLOSED = replace(LOCAL, name="gpt-4.1", trusted=True)
DEAF = replace(LOCAL, name="deaf", calls=False)
PROUD = replace(LOCAL, name="proud", adopts=False)
OTHERS = {one.name: one for one in (LOCAL, CLOSED, DEAF, PROUD)}
ABLE = LIMITS | {n: replace(LIMITS["qwen-local"], name=n) for n in ("deaf", "proud")}
SPEC = ProviderSpec("local", "http://x")

_LOOK = chat.calls(chat.tool("read_file", {"path": "a"}, extra_content={"sign": "Ab=="}))
_KIMI = chat.calls(chat.tool("read_file", {"path": "a"}, id="functions.read_file:0"))
SAID = (
    chat.text("Hello."),
    _LOOK,
    _KIMI,
    chat.text("I look.") + _LOOK,
    chat.calls(chat.tool("read_file", id=""), chat.tool("read_file", id="x" * 60)),
    chat.calls(chat.tool("read_file", id="dup"), chat.tool("read_file", id="dup")),
    chat.calls(chat.tool("run_command<|x|>", pieces=['{"command": "rm -rf bui'])),
    _LOOK.finishing("length"),
    (chat.text("Done.") + _LOOK).finishing("stop"),
    chat.text("No.").finishing("content_filter"),
    chat.text("So").finishing("length"),
    chat.empty(),
    chat.text("\n "),
)


class Switching(Talk):
    """A chat with a model of any provider; what it stores goes through the store's own form."""

    def __init__(self) -> None:
        super().__init__()
        self.other: ModelProfile | None = None
        self.chat_issued = Issued()
        self.chat_encoder = request_body.RequestEncoder(SPEC)
        self.sealed: list[tuple[str, str]] = []

    def profile(self) -> ModelProfile:
        return self.other or claude(self.model)

    def request(self) -> tuple[ModelRequest, Json]:
        if self.other is None:
            return super().request()
        fold = self.folds.setdefault(self.other.name, ViewFold(self.other))
        fold.extend(self.scribe.entries[fold.last_seq :])
        tools = (READ,) if self.other.calls else ()
        request = ModelRequest(self.other, "Be brief.", tools, fold.view().messages)
        body: Json = json.loads(self.chat_encoder.encode(request))
        refusal = first_refusal(body, ABLE[self.other.name], self.chat_issued)
        assert refusal is None, refusal
        if not tools:
            assert all("tool_calls" not in m and m["role"] != "tool" for m in body["messages"])
        return request, body

    def answer_chat(self, scripted: chat.Reply) -> None:
        assert self.other is not None
        request, _ = self.request()
        self.answers += 1
        whole = composed(scripted, self.answers, 10)
        builder = reply_builder.ReplyBuilder(request)
        for data in chunks(scripted, whole, self.other.name, self.answers, counted=True):
            builder.feed(data)
        reply = builder.reply()
        parts = admit(reply.parts, self.taken)
        told = Provenance(self.other.provider, self.other.name, reply.answered_model)
        body = ReplyBody(parts, reply.finish, told, reply.usage)
        stored = BODY.load(BODY.dump(body))
        assert stored == body
        self.scribe.write(stored)
        # The server meets its own ids again, or new ones where these could not be used.
        message = whole["message"]
        self.chat_issued.remember(message)
        for sent, call in zip(message.get("tool_calls") or (), body.calls, strict=False):
            sent["id"] = call.id
            sent["function"]["name"] = call.name
        self.chat_issued.remember(message)


def plain(said: chat.Reply) -> chat.Reply:
    """The reply as OpenAI writes it, without fields of other servers."""
    return replace(said, called=tuple(replace(call, extra=()) for call in said.called))


rounds = st.tuples(
    st.sampled_from(REPLIES),
    st.sampled_from(SAID),
    st.booleans(),
    st.integers(0, 2),
    st.sampled_from(["go on", "go on", "stop", "cut", "summary", "steer"]),
    st.sampled_from([None, None, *OTHERS]),
)


@settings(max_examples=300)
@given(st.lists(rounds, min_size=2, max_size=9))
def test_no_request_is_refused_however_often_the_provider_changes(
    script: list[tuple[Reply, chat.Reply, bool, int, str, str | None]],
) -> None:
    talk = Switching()
    for claudes, others, thinks, done, then, model in script:
        talk.other = OTHERS[model] if model else None
        if talk.other is None:
            talk.answer(thought(claudes) if thinks else claudes)
        else:
            said = others if ABLE[talk.other.name].keeps_reasoning else plain(others)
            talk.answer_chat(chat.thinking("hm\n ") + said if thinks and said is others else said)
        talk.run(done)
        talk.close()
        match then:
            case "stop":
                talk.ask()
            case "cut" | "summary":
                talk.cut(summary=then == "summary")
            case "steer":
                talk.scribe.write(AskerBody("Be quick", "Ann", steering=True))
            case _:
                pass
        talk.go_on()
    for model in (None, *OTHERS):
        talk.other = OTHERS[model] if model else None
        talk.request()


def test_what_a_provider_put_beside_its_reply_comes_back_after_two_changes() -> None:
    talk = Switching()
    talk.other = LOCAL
    words = "Let me see…\n\n  where "
    talk.answer_chat(chat.thinking(words) + chat.text("I look.") + _LOOK)
    talk.close()
    talk.other = None
    talk.answer(thought(REPLIES[1]))
    talk.close()
    _, to_claude = talk.request()
    assert words not in json.dumps(to_claude, ensure_ascii=False)
    talk.other = LOCAL
    _, body = talk.request()
    first = next(m for m in body["messages"] if m["role"] == "assistant")
    assert first["reasoning_content"] == words
    assert first["tool_calls"][0]["extra_content"] == {"sign": "Ab=="}
    assert first["tool_calls"][0]["function"]["arguments"] == '{"path": "a"}'
    talk.other = CLOSED
    _, elsewhere = talk.request()
    assert "extra_content" not in json.dumps(elsewhere)


def test_a_model_that_takes_no_calls_of_others_is_told_them() -> None:
    talk = Switching()
    talk.answer(REPLIES[1])
    talk.run(1)
    talk.other = PROUD
    _, body = talk.request()
    texts = [m["content"] for m in body["messages"]]
    assert any("[Called read_file:" in text for text in texts)
    assert any("[read_file gave]" in text for text in texts)
    talk.answer_chat(_LOOK)
    talk.close()
    assert any("tool_calls" in m for m in talk.request()[1]["messages"])
