"""Methods about the bot itself: its identity, commands, texts and webhook."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

from tests.standins.bot_api.parameters import Parameters
from tests.standins.bot_api.refusal import bad_request
from tests.standins.bot_api.service import Service
from tests.standins.bot_api.webhook import Webhook

_SECRET = re.compile(r"[A-Za-z0-9_-]{0,256}")
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
_MAX_COMMANDS = 100
_TEXT_LIMITS = {"name": 64, "description": 512, "short_description": 120}


def get_me(service: Service, _: Parameters) -> object:
    return service.bot.to_json() | {
        "can_join_groups": True,
        "can_read_all_group_messages": service.reads_all,
        "supports_inline_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
    }


async def get_updates(service: Service, parameters: Parameters) -> object:
    kinds = parameters.json("allowed_updates")
    service.updates.allow(kinds if isinstance(kinds, list) else None)
    return await service.updates.get(
        offset=parameters.integer("offset"),
        limit=parameters.integer("limit", 100),
        wait=parameters.integer("timeout"),
    )


def set_webhook(service: Service, parameters: Parameters) -> object:
    url = parameters.text("url")
    if url:
        _check_webhook(url)
    secret = parameters.text("secret_token")
    if not _SECRET.fullmatch(secret):
        raise bad_request("secret token contains unallowed characters")
    connections = min(max(parameters.integer("max_connections", 40), 1), 100)
    kinds = parameters.json("allowed_updates")
    service.updates.allow(kinds if isinstance(kinds, list) else None)
    if parameters.flag("drop_pending_updates"):
        service.updates.drop_pending()
    service.courier.switch_to(Webhook(url, secret, connections) if url else None)
    return True


def _check_webhook(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https":
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if parts.port not in (None, 80, 88, 443, 8443):
        raise bad_request("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")


def delete_webhook(service: Service, parameters: Parameters) -> object:
    if parameters.flag("drop_pending_updates"):
        service.updates.drop_pending()
    service.courier.switch_to(None)
    return True


def get_webhook_info(service: Service, _: Parameters) -> object:
    return service.courier.info()


def set_my_commands(service: Service, parameters: Parameters) -> object:
    commands = parameters.json("commands")
    if not isinstance(commands, list):
        raise bad_request("can't parse commands: expected an Array of BotCommand")
    if len(commands) > _MAX_COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        _check_command(command)
    service.commands[_scope(parameters)] = commands
    return True


def get_my_commands(service: Service, parameters: Parameters) -> object:
    return service.commands.get(_scope(parameters), [])


def delete_my_commands(service: Service, parameters: Parameters) -> object:
    service.commands.pop(_scope(parameters), None)
    return True


def set_my_text(name: str) -> Any:
    """The setter of one of the bot's own texts: name, description, short_description."""

    def setter(service: Service, parameters: Parameters) -> object:
        text = parameters.text(name)
        if len(text) > _TEXT_LIMITS[name]:
            raise bad_request(f"{name.replace('_', ' ')} is too long")
        service.profile[name] = text
        return True

    return setter


def get_my_text(name: str) -> Any:
    def getter(service: Service, _: Parameters) -> object:
        return {name: service.profile.get(name, "")}

    return getter


def accept(_: Service, __: Parameters) -> object:
    """Methods whose effect no screen shows."""
    return True


def _check_command(command: object) -> None:
    if not isinstance(command, dict):
        raise bad_request("can't parse BotCommand: expected an Object")
    if not _COMMAND.fullmatch(str(command.get("command", "")).removeprefix("/")):
        raise bad_request("BOT_COMMAND_INVALID")
    if not 1 <= len(str(command.get("description", ""))) <= 256:
        raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")


def _scope(parameters: Parameters) -> tuple[str, str]:
    scope = parameters.json("scope") or {"type": "default"}
    return json.dumps(scope, sort_keys=True), parameters.text("language_code")
