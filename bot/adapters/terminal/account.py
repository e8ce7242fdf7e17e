"""The account of the person at this machine."""

import getpass


def account() -> tuple[str, str]:
    """Returns the account of the person who started the program, and their name."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "local"
    return user, user
