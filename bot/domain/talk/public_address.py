"""Tells if a network address is a place of the public internet."""

import unicodedata
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

_CLOSED_4 = tuple(
    IPv4Network(net)
    for net in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
    )
)
_OPEN_6 = IPv6Network("2000::/3")
_CLOSED_6 = tuple(
    IPv6Network(net) for net in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
"""Blocks of the public range with other uses; Teredo and 6to4 hide an IPv4 address."""

_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Returns true for an address that anybody may reach; false whenever there is a doubt.

    The list of the standard library changes with its release, so its word alone is not enough. An
    address that holds an IPv4 address (mapped, NAT64) is judged by that one.
    """
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in net for net in _CLOSED_4)
    if address in _MAPPED or address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    closed = any(address in net for net in _CLOSED_6)
    return address in _OPEN_6 and address.is_global and not closed


def read_public(text: str) -> Address | None:
    """Returns the address as a resolver gave it, without its zone; None when it is not public."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return address if is_public(address) else None


_OWN_NAMES = ("localhost", "local", "internal", "lan", "home", "arpa", "intranet", "private")


def is_public_place(host: str) -> bool:
    """Returns false for a host that is not public by its very name: a number, or a name at home.

    A name of plain letters in disguise is not public either: only a reader of names knows which.
    """
    try:
        return is_public(ip_address(host))
    except ValueError:
        name, _, ending = host.lower().removesuffix(".").rpartition(".")
        # Numbers in other forms name an address as well; only a resolver knows which.
        home = not name or ending in _OWN_NAMES or ending[:1].isdigit()
        return not (home or _is_disguised(host))


def _is_disguised(host: str) -> bool:
    """Returns true for a host in other letters that readers of names take for letters of ASCII."""
    if host.isascii():
        return False
    plain = unicodedata.normalize("NFKC", host)
    return all(sign.isascii() or sign in _DOTS or _is_dropped(sign) for sign in plain)


_DOTS = "\u3002\uff0e\uff61"
_FILLERS = "\u115f\u1160\u3164\uffa0"


def _is_dropped(sign: str) -> bool:
    """Returns true for a sign that readers of names leave out: marks, and fillers."""
    return sign in _FILLERS or unicodedata.category(sign)[0] in "MC"
