"""Says what the status of a refused page means, and what may help."""

_MEANINGS = {
    401: "asks for a login; only pages without one can be read",
    402: "asks for money",
    403: "does not give this page to programs; try another source",
    404: "has no such page; look for the right address with a search or on its start page",
    407: "asks for the login of a proxy",
    410: "has removed this page",
    429: "gets too many requests just now; try later or another source",
    451: "may not show this page here for legal reasons",
}


def refusal(status: int, host: str) -> str:
    """Returns one sentence about a status that brings no page."""
    if status in _MEANINGS:
        told = _MEANINGS[status]
    elif status >= 500:
        told = "has a fault of its own just now; try later or another source"
    else:
        told = "does not give this page"
    return f"{host} {told} (HTTP {status})"
