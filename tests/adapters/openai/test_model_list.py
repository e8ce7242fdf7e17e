"""What a server's own list tells of its models."""

from typing import Any

import pytest

from bot.adapters.openai.model import OpenAIModel
from bot.adapters.openai.model_list import learnt
from bot.domain.money.traits import Traits
from tests.adapters.openai.talk import KEY, connected, spec_of
from tests.fakes.model import price
from tests.standins.chat_completions import ChatCompletions
from tests.standins.serving import serving


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"id": "m"}, Traits()),
        ({"max_model_len": 32_768}, Traits(window=32_768)),
        ({"meta": {"n_ctx": 8192, "n_ctx_train": 131_072}}, Traits(window=8192)),
        (
            {
                "max_context_length": 131_072,
                "capabilities": {"function_calling": True, "vision": False},
            },
            Traits(window=131_072, tools=True, vision=False),
        ),
        (
            {
                "context_length": 200_000,
                "top_provider": {"max_completion_tokens": 64_000},
                "architecture": {"input_modalities": ["text", "image"]},
                "supported_parameters": ["temperature"],
                "pricing": {"prompt": "0.000003", "completion": "0.000015"},
            },
            Traits(200_000, 64_000, tools=False, vision=True, price=price("3", "15", "3", "3")),
        ),
        ({"context_length": "a lot", "pricing": {"prompt": "-1"}, "meta": 7}, Traits()),
        ({"context_length": 12, "supported_parameters": []}, Traits()),
        ({"context_length": 10**30, "pricing": {"prompt": "1e999999", "completion": 1}}, Traits()),
        ({"pricing": {"prompt": "sNaN", "completion": "9" * 5_000}}, Traits()),
    ],
)
def test_an_entry_tells_what_it_knows(entry: dict[str, Any], expected: Traits) -> None:
    assert learnt(entry) == expected


async def test_an_unknown_model_is_careful_until_the_list_or_the_operator_says_more() -> None:
    listed = {"qwen-local": {"max_model_len": 65_536}, "tiny": {"context_length": 4_096}}
    told = Traits(vision=True)
    async with connected(listed=listed, traits=told) as (_, model):
        before = model.profile("qwen-local")
        await model.learn()
        after, tiny = model.profile("qwen-local"), model.profile("tiny")
    assert (before.window, before.sees, before.trusted) == (32_000, True, False)
    assert (after.window, after.sees) == (65_536, True)
    assert (tiny.window, tiny.max_output, tiny.sees, tiny.price) == (4_096, 2_048, False, None)


async def test_a_server_without_a_list_changes_nothing() -> None:
    api = ChatCompletions(api_key=KEY, listed=None)
    async with serving(api.app) as url, OpenAIModel(spec_of(url)) as model:
        await model.learn()
        assert model.profile("qwen-local").window == 32_000
