"""The troubles with a model that ended a turn, in kinds that people can do something about."""

from enum import StrEnum

from bot.domain.value import frozen


class Trouble(StrEnum):
    """The kind of a fault of a model."""

    KEY = "key"
    PERMISSION = "permission"
    CREDIT = "credit"
    MODEL = "model"
    RATE = "rate"
    OVERLOADED = "overloaded"
    DOWN = "down"
    CONNECTION = "connection"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    FORM = "form"
    OTHER = "other"


@frozen
class ModelTrouble:
    """The fault of a model that ended a turn."""

    kind: Trouble
    model: str = ""
    """The model as `provider/name`; empty where it makes no difference."""
    setting: str = ""
    """The setting that the owner has to change."""
    wait: float | None = None
    """Seconds that the provider asked to wait."""
    streamed: str = ""
    """The text that people had seen when the reply was cut."""
    others: tuple[str, ...] = ()
    """The models that could not take over either, as `provider/name`."""
