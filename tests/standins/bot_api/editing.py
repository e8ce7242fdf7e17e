"""Methods that change what a chat's screen already shows."""

from tests.standins.bot_api.formatting import FormattedText
from tests.standins.bot_api.keyboard import Keyboard, parse_keyboard
from tests.standins.bot_api.parameters import Parameters
from tests.standins.bot_api.reaction import parse_reactions
from tests.standins.bot_api.refusal import bad_request
from tests.standins.bot_api.rich_shown import RichContent, parse_rich
from tests.standins.bot_api.sending import read_caption, read_preview, read_text
from tests.standins.bot_api.service import CallbackAnswer, Service
from tests.standins.bot_api.world import Chat, Message

MAX_ANSWER = 200
ANSWER_SECONDS = 60.0
DELETABLE_SECONDS = 48 * 3600
_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the "
    "same as a current content and reply markup of the message"
)
_QUERY_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"


def edit_message_text(service: Service, parameters: Parameters) -> object:
    # A server without rich messages does not look at the field, and finds no text.
    rich = parse_rich(given) if service.rich and (given := _rich(parameters)) else None
    text = FormattedText(rich.text) if rich is not None else read_text(parameters)
    message = _editable(service, parameters)
    if message.file is not None:
        raise bad_request("there is no text in the message to edit")
    keyboard = parse_keyboard(parameters.json("reply_markup"))
    _change(service, message, text, keyboard, rich)
    message.preview = rich is None and read_preview(parameters, text)
    return message.to_json()


def _rich(parameters: Parameters) -> object:
    return parameters.json("rich_message")


def edit_message_caption(service: Service, parameters: Parameters) -> object:
    caption = read_caption(parameters)
    message = _editable(service, parameters)
    if message.file is None:
        raise bad_request("there is no caption in the message to edit")
    return _change(service, message, caption, parse_keyboard(parameters.json("reply_markup")))


def edit_message_reply_markup(service: Service, parameters: Parameters) -> object:
    message = _editable(service, parameters)
    keyboard = parse_keyboard(parameters.json("reply_markup"))
    return _change(service, message, message.content, keyboard, message.rich)


def stop_message_live_location(service: Service, parameters: Parameters) -> object:
    """End a live location; nobody has sent one here, so it is always refused."""
    _editable(service, parameters)
    raise bad_request("there is no live location in the message to edit")


def delete_message(service: Service, parameters: Parameters) -> object:
    chat = service.open_chat(parameters)
    number = _message_id(parameters)
    if (message := chat.messages.get(number)) is None:
        raise bad_request("message to delete not found")
    if not _deletable(service, chat, message):
        raise bad_request("message can't be deleted")
    del chat.messages[number]
    return True


def delete_messages(service: Service, parameters: Parameters) -> object:
    """Delete those that can be; the service passes over the others in silence."""
    chat = service.open_chat(parameters)
    numbers = parameters.json("message_ids")
    if not isinstance(numbers, list) or not all(isinstance(n, int) for n in numbers):
        raise bad_request("can't parse message identifiers: expected an Array of Number")
    if not 1 <= len(numbers) <= 100:
        raise bad_request("message identifiers are not specified")
    for number in numbers:
        message = chat.messages.get(number)
        if message is not None and _deletable(service, chat, message):
            del chat.messages[number]
    return True


def set_message_reaction(service: Service, parameters: Parameters) -> object:
    emoji = parse_reactions(parameters.json("reaction") or [])
    chat = service.open_chat(parameters)
    if (message := chat.messages.get(_message_id(parameters))) is None:
        raise bad_request("message to react not found")
    if chat.reactions is not None and not set(emoji) <= set(chat.reactions):
        raise bad_request("REACTION_INVALID")
    message.reactions[service.bot.id] = emoji
    return True


def answer_callback_query(service: Service, parameters: Parameters) -> object:
    press = service.presses.get(parameters.text("callback_query_id"))
    if press is None:
        raise bad_request(_QUERY_TOO_OLD)
    if press.answer is not None or service.clock.now() - press.at > ANSWER_SECONDS:
        press.refused_answers += 1
        raise bad_request(_QUERY_TOO_OLD)
    text = parameters.text("text")
    if len(text) > MAX_ANSWER:
        raise bad_request("MESSAGE_TOO_LONG")
    press.answer = CallbackAnswer(text, parameters.flag("show_alert"))
    return True


def _message_id(parameters: Parameters) -> int:
    if not (number := parameters.integer("message_id")):
        raise bad_request("message identifier is not specified")
    return number


def _editable(service: Service, parameters: Parameters) -> Message:
    chat = service.open_chat(parameters)
    if (message := chat.messages.get(_message_id(parameters))) is None:
        raise bad_request("message to edit not found")
    # Only messages without a markup or with inline buttons can be edited.
    if message.sender.id != service.bot.id or message.origin is not None or message.asks:
        raise bad_request("message can't be edited")
    return message


def _change(
    service: Service,
    message: Message,
    content: FormattedText,
    keyboard: Keyboard,
    rich: RichContent | None = None,
) -> object:
    if (content, keyboard, rich) == (message.content, message.keyboard, message.rich):
        raise bad_request(_NOT_MODIFIED)
    service.flood.pass_through(message.chat)
    # A change of buttons alone does not mark a message as edited.
    if (content, rich) != (message.content, message.rich):
        message.edited_at = service.date
    message.content, message.keyboard, message.rich = content, keyboard, rich
    return message.to_json()


def _deletable(service: Service, chat: Chat, message: Message) -> bool:
    if service.clock.now() - message.date > DELETABLE_SECONDS:
        return False
    own = message.sender.id == service.bot.id
    return own or chat.is_private or service.bot.id in chat.admins
