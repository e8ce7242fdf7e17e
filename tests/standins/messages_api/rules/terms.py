"""The terms a request is judged by: the API version and the betas its headers name."""

from collections.abc import Mapping
from dataclasses import dataclass

BINDING_BETA = "thinking-binding-controls-2026-08-01"
VERSIONS = frozenset({"2023-06-01", "2026-10-21"})

_TIGHTENED = "2026-10-21"


@dataclass(frozen=True, slots=True)
class Terms:
    """An API version and the beta features asked for."""

    version: str
    betas: frozenset[str]

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> "Terms":
        """Read the terms from a request's headers."""
        listed = headers.get("anthropic-beta", "")
        betas = frozenset(name.strip() for name in listed.split(","))
        return cls(headers["anthropic-version"], betas)

    @property
    def tightened(self) -> bool:
        """Whether sampling fields, documents by the assistant and citations by the user are gone.

        Source: the migration guide of API version 2026-10-21.
        """
        return self.version >= _TIGHTENED
