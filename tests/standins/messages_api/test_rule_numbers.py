"""Every rule of the Messages API has an example that the stand-in refuses, or takes on purpose."""

from tests.standins.messages_api import test_rules, test_thinking_binding
from tests.standins.messages_api.test_rules import ACCEPTED, RULES

IN_TABLE: dict[str, tuple[str, ...]] = {
    "A1": ("model required", "max_tokens required", "messages required"),
    "A2": ("messages not empty",),
    "A3": (
        "known roles",
        "no system messages on older models",
        "system message not before a user",
    ),
    "A4": ("user first",),
    "A6": ("user content",),
    "A7": ("assistant content",),
    "A8": ("empty text", "empty text in a result"),
    "A9": ("blank text", "blank system text"),
    "A10": ("trailing white space in a prefill",),
    "A11": ("no prefill",),
    "A12": ("call unanswered at the end", "call unanswered in the next message"),
    "A13": ("result without a call", "result after a later message"),
    "A14": ("two results for a call",),
    "A15": ("call ids unique",),
    "A16": ("results before text",),
    "A17": ("call id pattern", "result id not empty"),
    "A18": ("input not null", "input not a string", "input not a list"),
    "A19": ("calls need tools",),
    "A20": ("calls by the assistant", "results by the user"),
    "A21": ("tool name pattern", "tool name length"),
    "A22": ("tool names unique",),
    "A23": ("schema of an object", "schema without a choice at its top"),
    "A24": ("tool choice needs tools", "tool choice names a tool"),
    "A25": (
        "no unknown field",
        "no unknown field in a message",
        "no unknown field in a block",
        "no unknown block",
    ),
    "A27": ("forged signature",),
    "A28": ("manual thinking opens a tool loop",),
    "A29": ("four cache marks",),
    "A30": ("no cache mark on empty text",),
    "A31": ("prompt and answer within the older window",),
    "A32": ("output limit",),
    "A33": ("image bytes", "image pixels", "pixels of many images"),
    "A35": ("no temperature", "no top_p", "no top_k"),
    "A36": ("no manual thinking", "least thinking budget", "thinking budget below max_tokens"),
    "A37": ("no forced tool while thinking",),
}
"""Rules, with their examples in the table of refused requests."""

TESTED = {
    "A26": test_thinking_binding.test_thinking_is_refused_where_it_or_its_prefix_changed,
    "A31": test_rules.test_a_prompt_beyond_the_window_is_counted_at_four_bytes_a_token,
    "A34": test_rules.test_half_a_surrogate_pair_is_not_valid_json,
    "A35": test_rules.test_the_earlier_api_version_leaves_sampling_to_the_model,
    "A38": test_thinking_binding.test_thinking_is_refused_where_it_or_its_prefix_changed,
}
"""Rules whose refusal needs more than one request."""

TAKEN = {"A5": "a role twice"}
"""What was refused once, and is taken today."""


def test_every_rule_is_shown_by_an_example() -> None:
    assert {name for names in IN_TABLE.values() for name in names} <= RULES.keys()
    assert set(TAKEN.values()) <= ACCEPTED.keys()
    numbered = IN_TABLE.keys() | TESTED.keys() | TAKEN.keys()
    assert numbered == {f"A{n}" for n in range(1, 39)}
