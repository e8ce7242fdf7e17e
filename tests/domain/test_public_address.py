"""Which addresses count as public: a table of tricks, and random ones."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.talk.public_address import is_public, read_public

PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.255.255",
    "192.0.0.8",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::808:808",
    "2002:7f00:1::",
    "2002:808:808::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "2001:10::1",
    "2001:20::1",
    "5f00::1",
    "4000::1",
]
PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "2606:4700::1111",
    "2a00:1450:4001:81b::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]


@pytest.mark.parametrize("text", PRIVATE)
def test_it_is_not_public(text: str) -> None:
    assert read_public(text) is None


@pytest.mark.parametrize("text", PUBLIC)
def test_it_is_public(text: str) -> None:
    assert read_public(text) == ip_address(text)


@pytest.mark.parametrize("text", ["", "example.org", "0x7f.1", "2130706433", "127.1", "1.2.3.4."])
def test_what_is_no_plain_address_is_not_public(text: str) -> None:
    assert read_public(text) is None


@given(st.ip_addresses(v=4))
def test_no_ipv4_is_public_that_the_standard_library_calls_otherwise(address: IPv4Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not any((address.is_multicast, address.is_private, address.is_reserved))
        assert not any((address.is_loopback, address.is_link_local, address.is_unspecified))


@given(st.ip_addresses(v=6))
def test_no_ipv6_is_public_that_the_standard_library_calls_otherwise(address: IPv6Address) -> None:
    hidden = address.ipv4_mapped or address.sixtofour or (address.teredo or (None,))[0]
    if is_public(address) and address.ipv4_mapped is None:
        assert address.is_global
        assert hidden is None
        assert not any((address.is_multicast, address.is_private, address.is_site_local))


@given(st.ip_addresses(v=4))
def test_an_ipv4_in_an_ipv6_is_judged_as_itself(address: IPv4Address) -> None:
    for prefix in ("::ffff:0:0", "64:ff9b::"):
        assert is_public(IPv6Address(int(IPv6Address(prefix)) + int(address))) is is_public(address)
