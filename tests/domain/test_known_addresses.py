"""Addresses are known exactly as somebody wrote them, and no other spelling of them is."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.domain.money.model import FinishReason
from bot.domain.talk.web_address import MOST_IN_TEXT, links_in, named_in
from bot.domain.tools.tool import Status, ToolResult
from bot.domain.tools.web_links import behind
from bot.domain.turn.known_addresses import KnownAddresses
from bot.domain.turn.transcript import (
    ArrivalBody,
    AskerBody,
    Body,
    Entry,
    ForeignPart,
    LateResultBody,
    NoteBody,
    Provenance,
    RecallBody,
    ReplyBody,
    ResultBody,
    SummaryBody,
    TextPart,
)

ANN, BOB = 1, 2
PAGE = (
    "See https://example.org/a/b?x=1. And (docs.example.com/3/), [q](https://shop.com/q), "
    "<https://mirror.example/A_(b)?c=d#part>, **https://bold.example/x** and "
    "https://list.example/a,b;c:d!e or http://plain.example/k, news.example. "
    "https://straße.example/ö https://escaped.example/a\\_b `https://code.example/`"
)


def known(*bodies: Body) -> KnownAddresses:
    found = KnownAddresses()
    for number, body in enumerate(bodies, 1):
        found.take(Entry(number, "c", "t", datetime.now(UTC), body))
    return found


def page(text: str, tool: str = "web_fetch", status: Status = Status.SUCCESS) -> ResultBody:
    return ResultBody(ToolResult("1", tool, status, text))


def fetched(address: str, found: KnownAddresses, *private: str) -> bool:
    return found.may_fetch(address, ANN, private)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/a/b?x=1",
        "HTTPS://Example.ORG:443/a/b?x=1",
        "https://example.org/a/b?x=1#any",
        "https://docs.example.com/3/",
        "https://shop.com/q",
        "https://mirror.example/A_(b)?c=d",
        "https://bold.example/x",
        "https://list.example/a,b;c:d!e",
        "http://plain.example/k",
        "https://news.example",
        "https://news.example/",
        "https://straße.example/ö",
        "https://straße.example/%C3%B6",
        "https://escaped.example/a_b",
        "https://code.example/",
    ],
)
def test_what_is_sent_as_somebody_wrote_it_is_known(address: str) -> None:
    assert fetched(address, known(page(PAGE)))


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/a/b?x=1&d=hunter2",
        "https://example.org/a/b?X=1",
        "https://example.org/A/b?x=1",
        "https://example.org/a/b?x=1.",
        "https://example.org/a/b?x=",
        "https://example.org/a/b",
        "https://example.org/a/b/?x=1",
        "https://example.org/a//b?x=1",
        "https://example.org/a/./b?x=1",
        "https://example.org/%61/b?x=1",
        "https://example.org:8443/a/b?x=1",
        "http://example.org/a/b?x=1",
        "https://www.example.org/a/b?x=1",
        "https://ample.org/a/b?x=1",
        "https://hunter2.example.org/a/b?x=1",
        "https://docs.example.com/3",
        "http://docs.example.com/3/",
        "https://shop.com/q/",
        "https://shop.com/q,",
        "https://shop.com/",
        "https://list.example/a",
        "https://list.example/a,b",
        "https://list.example/a,b;c:d",
        "https://plain.example/\u212a",
        "http://plain.example/\u212a",
        "http://plain.example/K",
        "https://mirror.example/A_(b)?c=d)",
        "https://strasse.example/ö",
        "https://STRASSE.example/ö",
        "https://straße.example/o\u0308",
        "https://escaped.example/a\\_b",
        "",
    ],
)
def test_every_other_spelling_is_unknown(address: str) -> None:
    assert not fetched(address, known(page(PAGE)))


def test_the_words_of_a_link_hide_a_target_that_is_known_with_its_fragment() -> None:
    links = known(page(PAGE)).links
    assert behind("words", "https://mirror.example/A_(b)?c=d#part", links) == ""
    assert behind("words", "HTTPS://Mirror.example/A_(b)?c=d#part", links) == ""
    for target in ("https://mirror.example/A_(b)?c=d", "https://shop.com/q#d=1", "tg://x", "a.md"):
        assert behind("words", target, links) == f" ({target})"
        assert behind(target, target, links) == ""
        assert behind("words", target, None) == ""


def asked(text: str, person: int = ANN, **fields: Any) -> AskerBody:
    return AskerBody(text=text, speaker="x", person=person, account="telegram:1", **fields)


URL = "https://a.example/x"
PROVENANCE = Provenance("p", "m", "m")


@pytest.mark.parametrize(
    "body",
    [
        asked(f"Read {URL}"),
        page(URL),
        page(URL, "web_search"),
        ReplyBody((ForeignPart({}, "a search", URL),), FinishReason.END, PROVENANCE),
        LateResultBody(
            "a", "web_fetch", "", "", URL, ToolResult("1", "web_fetch", Status.SUCCESS, "")
        ),
    ],
)
def test_messages_pages_and_searches_make_addresses_known(body: Body) -> None:
    assert fetched(URL, known(body))


@pytest.mark.parametrize(
    "body",
    [
        page(URL, "run_command"),
        page(URL, "read_file"),
        page(URL, "web_fetch", Status.FAILED),
        asked(f"Read {URL}", only=()),
        ReplyBody((TextPart(URL),), FinishReason.END, PROVENANCE),
        NoteBody("task", URL),
        SummaryBody(1, URL),
        RecallBody((), URL),
        ArrivalBody(URL, "a hook"),
        LateResultBody("a", "delegate", "", "", URL),
    ],
)
def test_nothing_else_does(body: Body) -> None:
    assert not fetched(URL, known(body))
    assert not known(body).links


PRIVATE = "http://127.0.0.1:8080/admin/delete?all=1"


@pytest.mark.parametrize("address", [PRIVATE, "http://nas.example:81/off", "http://printer/reboot"])
def test_a_private_place_is_known_from_the_words_of_the_asker_alone(address: str) -> None:
    places = ("127.0.0.1:8080", "nas.example:81", "printer:80")
    assert not fetched(address, known(page(address), asked(address)), *places)
    assert not fetched(address, known(asked(address, BOB, own=(address,))), *places)
    assert fetched(address, known(asked(address, own=(address,))), *places)
    assert fetched(address, known(asked(address, BOB, own=(address,), governs=True)), *places)


@pytest.mark.parametrize(
    "host",
    [
        "192.168.1.\u2469",
        "127.0.0.\ufe0f1",
        "\u24dbocalhost.\u24dbocal",
        "nas.\uff45xample",
        "nas\ufe00.example",
        "n\u00e4s.example",
    ],
)
def test_another_spelling_of_a_private_place_is_no_more_known_than_the_place(host: str) -> None:
    places = ("192.168.1.10:80", "127.0.0.1:80", "nas.example:80", "xn--ns-uia.example:80")
    address = f"http://{host}/off"
    assert links_in(f"See {address} here") == (address,)
    assert not fetched(address, known(page(address)), *places)
    assert fetched(address, known(asked(address, own=(address,))), *places)


def test_a_name_in_other_letters_is_public_unless_it_is_one_in_disguise() -> None:
    for name in (
        "m\u00fcller.de",
        "stra\u00dfe.de",
        "\u4f8b\u3048.jp",
        "\u0e44\u0e17\u0e22.\u0e44\u0e17\u0e22",
    ):
        address = f"https://{name}/a"
        assert fetched(address, known(page(address)))
        assert address in known(page(address)).links
    for name in ("192.168.1.\u2469", "localhost.\uff4cocal", "nas.\uff45xample"):
        assert not known(page(f"http://{name}/a")).links


def test_the_words_of_a_link_hide_a_private_place_only_if_a_person_named_it() -> None:
    assert PRIVATE not in known(page(PRIVATE)).links
    assert PRIVATE in known(asked(PRIVATE, own=(PRIVATE,))).links


def test_only_some_addresses_of_words_that_a_model_wrote_may_count() -> None:
    found = known(asked(f"{URL} and https://evil.example/?d=1", only=(URL,)))
    assert fetched(URL, found)
    assert not fetched("https://evil.example/?d=1", found)


def test_a_text_names_so_many_addresses_and_no_more() -> None:
    text = " ".join(f"https://a.example/{n}" for n in range(MOST_IN_TEXT + 500))
    assert len(list(named_in(text))) == MOST_IN_TEXT


def test_an_address_within_another_one_is_a_part_of_it() -> None:
    assert links_in("https://archive.example/https://b.example/c") == (
        "https://archive.example/https://b.example/c",
    )
    assert links_in("[https://a.example/](https://b.example/)") == (
        "https://a.example/",
        "https://b.example/",
    )
