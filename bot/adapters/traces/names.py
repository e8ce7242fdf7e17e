"""The names of spans and attributes, by the GenAI conventions of OpenTelemetry: they still change.

Names that begin with `steward.` are our own, where the conventions have none.
"""

INVOKE_AGENT, CHAT, EXECUTE_TOOL = "invoke_agent", "chat", "execute_tool"
"""Operations of the conventions: a turn, a call of a model, a call of a tool."""

ROUND, CARD, DELIVERY = "steward.round", "steward.card", "steward.delivery"

OPERATION = "gen_ai.operation.name"
AGENT = "gen_ai.agent.name"
CONVERSATION = "gen_ai.conversation.id"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_CREATION_TOKENS = "gen_ai.usage.cache_creation.input_tokens"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
TOOL, TOOL_TYPE, TOOL_CALL = "gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.tool.call.id"
TOOL_ARGUMENTS, TOOL_RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
ERROR = "error.type"

TURN, CHAT_NUMBER, ORIGIN = "steward.turn.id", "steward.chat.number", "steward.turn.origin"
STOP_REASON, ROUNDS, CALLS = "steward.turn.stop_reason", "steward.turn.rounds", "steward.turn.calls"
ROUND_NUMBER = "steward.round.number"
CARD_STATE, CARD_KIND = "steward.card.state", "steward.card.kind"
DELIVERY_STATE, DELIVERY_KIND = "steward.delivery.state", "steward.delivery.kind"
DELIVERY_CHANNEL, DELIVERY_TRIES = "steward.delivery.channel", "steward.delivery.tries"
STATUS = "steward.tool.status"
COST = "steward.cost_dollars"

CONTENT = frozenset({INPUT_MESSAGES, OUTPUT_MESSAGES, TOOL_ARGUMENTS, TOOL_RESULT})
"""Attributes that hold what people or models said."""
