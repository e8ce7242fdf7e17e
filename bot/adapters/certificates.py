"""Knows whom this machine trusts: read once, for every connection of the program."""

import os
import ssl
from functools import cache

import certifi

_NAMED_BY = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@cache
def certificates() -> ssl.SSLContext:
    """Returns what the machine trusts and what Mozilla trusts; reading it takes tens of ms.

    `SSL_CERT_FILE` and `SSL_CERT_DIR` count instead of both.
    """
    context = ssl.create_default_context()
    if not any(os.environ.get(name) for name in _NAMED_BY):
        context.load_verify_locations(certifi.where())
    return context
