"""Talking and deciding in the page, with its script."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By

from bot.adapters.web.rendering.static_files import version
from tests.browser import samples
from tests.browser.chromium import faults, sized
from tests.browser.driving import drawn, focused, passes, spoken, types, waits_for
from tests.browser.site import Site
from tests.browser.states import DEMO

_OPEN = "#card-o8"
_DROPS = """
const done = arguments[0], held = new DataTransfer();
const add = (name, type, ...parts) => held.items.add(new File(parts, name, {type}));
document.createElement('canvas').toBlob((picture) => {
  add('<b>.png', 'image/png', picture);
  add('empty.txt', 'text/plain');
  add('x.svg', 'image/svg+xml', '<svg/>');
  add('film.mp4', 'video/mp4', new Uint8Array(21e6));
  for (let n = 0; n < 9; n++) add(`${n}.txt`, 'text/plain', 'x');
  const how = {dataTransfer: held, bubbles: true, cancelable: true};
  document.body.dispatchEvent(new DragEvent('drop', how));
  done();
});
"""

_MEETS = """
const one = document.activeElement;
if (one === document.body || met.includes(one)) return null;
met.push(one);
const lined = [one, one.parentElement].some((each) => {
  const {outlineStyle, outlineWidth} = getComputedStyle(each);
  return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
});
return {lined, main: one.matches('#card-o8.open .key.main'), what: one.outerHTML};
"""
_MISSED = """
return [...document.querySelectorAll('a[href], button, input, textarea, select, summary')]
  .filter((one) => one.checkVisibility({visibilityProperty: true}) && !met.includes(one))
  .map((one) => one.outerHTML);
"""


@pytest.fixture
def chat(browser: Chrome, site: Site) -> Chrome:
    sized(browser, 1280, 900)
    browser.get(f"{site.address}/chat")
    site.listened()
    return browser


def _sent(site: Site, browser: Chrome, times: int = 1) -> list[tuple[str, dict[str, str]]]:
    """Waits until so many forms were answered, and returns what they held."""
    waits_for(browser, "return !document.querySelector('form[aria-busy]')")
    assert len(site.posted(times)) == times
    return site.posts


def test_what_is_written_is_sent_once_and_the_field_is_empty(chat: Chrome, site: Site) -> None:
    words = chat.find_element(By.ID, "words")
    words.send_keys("One", Keys.SHIFT, Keys.ENTER, Keys.NULL, "two", Keys.ENTER)
    waits_for(chat, "return document.getElementById('words').value === ''")
    ((path, form),) = _sent(site, chat)
    assert path == "/chat/telegram:7/3/say"
    assert form["text"].replace("\r", "") == "One\ntwo"
    assert form["csrf"] == "token"
    words.send_keys("Three", Keys.ENTER)
    waits_for(chat, "return document.getElementById('words').value === ''")
    _, (_, second) = _sent(site, chat, 2)
    assert second["id"] != form["id"]
    assert re.fullmatch(r"[\w-]{8,64}", second["id"])


def test_an_empty_message_is_not_sent(chat: Chrome, site: Site) -> None:
    chat.find_element(By.ID, "words").send_keys("  ", Keys.ENTER)
    drawn(chat)
    assert site.posts == []


def test_a_draft_outlives_a_reload(chat: Chrome, site: Site) -> None:
    chat.find_element(By.ID, "words").send_keys("half a thought")
    chat.refresh()
    assert chat.find_element(By.ID, "words").get_property("value") == "half a thought"


def test_a_refusal_says_why_and_keeps_the_words(chat: Chrome, site: Site) -> None:
    site.refusal = "The message is longer than 100,000 characters. Nothing was done."
    chat.find_element(By.ID, "words").send_keys("too much", Keys.ENTER)
    spoken(chat, site.refusal)
    assert chat.find_element(By.ID, "told").text == site.refusal
    assert chat.find_element(By.ID, "words").get_property("value") == "too much"


def test_a_press_shows_that_it_is_on_its_way_and_keeps_the_card_until_its_row_comes(
    chat: Chrome, site: Site
) -> None:
    chat.find_element(By.CSS_SELECTOR, f"{_OPEN} .key.main").click()
    waits_for(
        chat,
        "return document.querySelector('#card-o8 .key.main').innerText.startsWith('Approving…')",
    )
    waits_for(chat, "return document.querySelector('form[aria-busy]')")
    ((path, form),) = site.posted()
    assert path.endswith("/press")
    assert form == {"csrf": "token", "message": "o8", "id": "once-o8", "data": "a-yes"}
    chat.find_element(By.CSS_SELECTOR, f"{_OPEN} .key.main").click()
    site.tells(samples.steward(8, samples.DECIDED, 0, press=True), "5")
    waits_for(chat, "return !document.querySelector('#card-o8.open')")
    spoken(chat, "Approved")
    assert len(site.posts) == 1
    # The focus was in the card, so it stays there, at its head: not at another Approve.
    assert focused(chat) == "card-o8-h"


def test_a_refused_press_gives_the_keys_back(chat: Chrome, site: Site) -> None:
    site.refusal = "Dana was first. Your press changed nothing."
    chat.find_element(By.CSS_SELECTOR, f"{_OPEN} .key.main").click()
    spoken(chat, "Dana was first")
    key = chat.find_element(By.CSS_SELECTOR, f"{_OPEN} .key.main")
    assert key.text.startswith("Approve")
    assert key.get_attribute("aria-disabled") is None


def test_of_answered_words_only_the_newest_can_be_changed(chat: Chrome, site: Site) -> None:
    for number in (20, 21):
        site.tells(samples.own(number, "Words", 0, editable=True), str(number))
    waits_for(chat, "return document.getElementById('m-i21')")
    shown = "return [...document.querySelectorAll('[data-edit]')].filter(e => e.checkVisibility())"
    left = chat.execute_script(f"{shown}.map((e) => e.dataset.edit)")
    # The first one waits for its turn, so it can be changed, too.
    assert left == ["i5", "i21"]
    # A command may begin something new, as a plan: an edit of words before it would change nothing.
    site.tells(samples.own(22, "/plan it", 0), "22")
    waits_for(chat, "return document.getElementById('m-i22')")
    assert chat.execute_script(f"{shown}.map((e) => e.dataset.edit)") == ["i5"]
    chat.find_element(By.ID, "words").send_keys(Keys.ARROW_UP)
    assert chat.execute_script("return document.querySelector('[name=edits]').value") == "i5"


def test_an_answer_is_made_anew_while_it_is_the_newest(chat: Chrome, site: Site) -> None:
    shown = "return [...document.querySelectorAll('.newest')].filter(e => e.checkVisibility())"
    where = f"{shown}.map((e) => e.closest('li').id)"
    site.tells(samples.answer(20, "Here it is."), "20")
    site.tells(samples.steward(21, samples.NOTICE, 0), "21")
    site.tells(samples.steward(22, samples.QUESTION, 0), "22")
    waits_for(chat, "return document.getElementById('m-o22')")
    assert chat.execute_script(where) == ["m-o20"]
    site.tells(samples.own(23, "And now?", 0), "23")
    waits_for(chat, "return document.getElementById('m-i23')")
    assert chat.execute_script(where) == []


def test_a_key_that_is_off_sends_nothing(chat: Chrome, site: Site) -> None:
    chat.execute_script("document.querySelector('#card-o7 .key').click()")
    drawn(chat)
    assert site.posts == []


def test_change_opens_a_field_and_sends_the_words(chat: Chrome, site: Site) -> None:
    types(chat, "j")
    waits_for(chat, "return document.querySelector('.card.here')")
    chat.execute_script("document.getElementById('card-o8').focus()")
    types(chat, "c")
    waits_for(chat, "return document.activeElement.name === 'text'")
    types(chat, "20 days are enough")
    chat.find_element(By.CSS_SELECTOR, f"{_OPEN} .answering button").click()
    waits_for(chat, "return document.querySelector('#card-o8 .answering[aria-busy]')")
    ((path, form),) = site.posted()
    assert path.endswith("/word")
    assert (form["data"], form["text"]) == ("a-other", "20 days are enough")


def test_a_card_that_has_just_come_takes_no_key(chat: Chrome, site: Site) -> None:
    site.tells(samples.steward(11, samples.CARD, 0, press=True), "11")
    spoken(chat, "A card waits: Edit backup.conf. Press j.")
    assert focused(chat) == ""
    chat.execute_script("document.getElementById('card-o11').focus()")
    types(chat, "y")
    drawn(chat)
    assert site.posts == []
    passes(chat, 1.1)
    types(chat, "y")
    waits_for(chat, "return document.querySelector('#card-o11 [aria-busy]')")
    assert [form["data"] for _, form in site.posted()] == ["a-yes"]


def test_a_letter_in_a_field_is_a_letter(chat: Chrome, site: Site) -> None:
    words = chat.find_element(By.ID, "words")
    words.send_keys("yes, why not? j/k")
    assert words.get_property("value") == "yes, why not? j/k"
    assert site.posts == []


def test_single_keys_can_be_turned_off(browser: Chrome, site: Site) -> None:
    browser.get(f"{site.address}/more")
    browser.find_element(By.CSS_SELECTOR, "[data-setting=keys]").click()
    browser.get(f"{site.address}/chat")
    browser.execute_script("document.getElementById('card-o8').focus()")
    types(browser, "y")
    drawn(browser)
    assert site.posts == []
    browser.get(f"{site.address}/more")
    assert not browser.find_element(By.CSS_SELECTOR, "[data-setting=keys]").is_selected()


def test_an_answer_is_announced_when_it_is_finished_and_not_before(
    chat: Chrome, site: Site
) -> None:
    site.drafts("The night")
    drawn(chat, "The night")
    spoken(chat, "Answering")
    assert chat.find_element(By.ID, "busy").is_displayed()
    site.drafts("The night went well")
    drawn(chat, "went well")
    assert chat.find_element(By.ID, "said").get_property("textContent") == "Answering"
    site.tells(samples.answer(20, "The night went **well**."), "20")
    spoken(chat, "The night went well.")
    said = chat.find_element(By.ID, "said").get_property("textContent")
    assert re.fullmatch(r"Answered after \d+ seconds: The night went well\.", str(said))
    site.tells(samples.answer(21, samples.ANSWER), "21")
    spoken(chat, ", 1 table, 1 block of code. The photo disk")
    assert chat.find_element(By.ID, "draft").get_property("innerHTML") == ""
    assert not chat.find_element(By.ID, "busy").is_displayed()


def test_escape_stops_the_answer(chat: Chrome, site: Site) -> None:
    site.drafts("A long")
    drawn(chat, "A long")
    types(chat, Keys.ESCAPE)
    waits_for(chat, "return !document.querySelector('form[aria-busy]')")
    assert [path.rpartition("/")[2] for path, _ in site.posted()] == ["stop"]


def test_the_last_message_is_edited_by_the_arrow_up(chat: Chrome, site: Site) -> None:
    words = chat.find_element(By.ID, "words")
    words.send_keys(Keys.ARROW_UP)
    assert words.get_property("value") == "And how do I see that last night’s backup worked?"
    words.send_keys(" Please.", Keys.ENTER)
    waits_for(chat, "return document.getElementById('words').value === ''")
    ((_, form),) = site.posted()
    assert form["edits"] == "i5"
    words.send_keys("New", Keys.ENTER)
    waits_for(chat, "return document.getElementById('words').value === ''")
    assert "edits" not in site.posted(2)[1][1]


@pytest.mark.parametrize("way", ["key", "button"])
def test_an_edit_is_left_without_a_change(chat: Chrome, site: Site, way: str) -> None:
    words, note = chat.find_element(By.ID, "words"), chat.find_element(By.ID, "editing")
    assert not note.is_displayed()
    site.drafts("A long")
    drawn(chat, "A long")
    words.send_keys(Keys.ARROW_UP)
    words.send_keys(" Please.")
    assert note.is_displayed()
    if way == "key":
        words.send_keys(Keys.ESCAPE)
    else:
        note.find_element(By.TAG_NAME, "button").click()
    assert (words.get_property("value"), note.is_displayed()) == ("", False)
    assert focused(chat) == "words"
    spoken(chat, "Your message stays as it is.")
    words.send_keys("New", Keys.ENTER)
    waits_for(chat, "return document.getElementById('words').value === ''")
    # The answer went on: to leave an edit stops nothing.
    ((path, form),) = site.posted()
    assert (path.rpartition("/")[2], "edits" in form) == ("say", False)


def test_the_palette_finds_runs_and_fills_in(chat: Chrome, site: Site) -> None:
    types(chat, "/")
    waits_for(chat, "return document.activeElement.type === 'search'")
    types(chat, "stat", Keys.ENTER)
    waits_for(chat, "return !document.querySelector('form[aria-busy], :popover-open')")
    assert [form["text"] for _, form in site.posted()] == ["/status"]
    types(chat, "/", "titl", Keys.ENTER)
    assert chat.find_element(By.ID, "words").get_property("value") == "/title "
    assert focused(chat) == "words"


def test_the_palette_finds_conversations_and_pages_that_the_program_names(
    chat: Chrome, site: Site
) -> None:
    garden, people = ("/garden", "<b>Garden</b> plan"), ("/people", "People", "who may")
    site.show("find", "found.html", chats=(garden,), places=(people,), asked="garden")
    types(chat, "/", "GARDEN plan")
    waits_for(chat, "return document.querySelectorAll('#found li').length === 3")
    found = [one.text for one in chat.find_elements(By.CSS_SELECTOR, "#found li span:first-child")]
    assert found == ["<b>Garden</b> plan", "People", "Search what was said: garden"]
    # The first thing that is shown is opened; here no command has such words.
    types(chat, Keys.ENTER)
    waits_for(chat, "return location.pathname === '/garden'")


def test_enter_in_the_palette_opens_nothing_of_the_list_before(chat: Chrome, site: Site) -> None:
    # The program is asked once somebody stops typing; its answer waits here until it is let out.
    held = """
    const asked = window.fetch;
    window.asked = new Promise((all) => { window.heard = all; });
    window.fetch = (...what) => new Promise((done) => {
      window.answer = () => done(asked(...what));
      window.heard();
    });
    """
    garden = ("/garden", "Garden plan")
    site.show("find", "found.html", chats=(garden,), places=(), asked="garden")
    types(chat, "/")
    waits_for(chat, "return document.activeElement.type === 'search'")
    chat.execute_script(held)
    types(chat, "garden", Keys.ENTER)
    chat.execute_async_script("window.asked.then(arguments[0])")
    types(chat, Keys.ENTER, Keys.ARROW_DOWN)
    drawn(chat)
    assert chat.execute_script("return location.pathname") == "/chat"
    chat.execute_script("window.answer()")
    waits_for(chat, "return document.querySelectorAll('#found li').length === 2")
    types(chat, Keys.ENTER)
    waits_for(chat, "return location.pathname === '/garden'")


def test_the_first_key_goes_to_the_newest_message_where_no_card_waits(
    browser: Chrome, site: Site
) -> None:
    own = tuple(samples.own(number, f"Words {number}", 0) for number in (1, 2, 3))
    browser.get(site.show("three", "chat.html", **samples.chat_values(messages=own)))
    site.listened()
    for key, shown in (("j", "m-i3"), ("k", "m-i2"), ("j", "m-i3"), ("j", "m-i3")):
        types(browser, key)
        assert focused(browser) == shown
    site.tells(samples.steward(11, samples.CARD, 0, press=True), "11")
    spoken(browser, "A card waits: Edit backup.conf. Press j.")
    browser.execute_script("document.activeElement.blur()")
    types(browser, "j")
    assert focused(browser) == "card-o11"


@pytest.mark.parametrize("demo", [False, True])
def test_the_first_sentences_go_with_the_first_message_and_those_of_the_demo_stay(
    browser: Chrome, site: Site, *, demo: bool
) -> None:
    shown = DEMO if demo else replace(DEMO, model="Claude Sonnet 5.5")
    values = samples.chat_values(chat=shown, messages=(), chats=samples.CHATS[:1])
    browser.get(site.show("begin", "chat.html", **values))
    site.listened()
    tries = browser.find_elements(By.CSS_SELECTOR, "#first .tries button")
    first = "Write a note" if demo else "Write a shopping list into shopping.md"
    assert tries[0].get_attribute("value") == first
    assert len(tries) == 5
    tries[0].click()
    ((path, form),) = _sent(site, browser)
    assert path == "/chat/web:5/k1/say"
    assert form["text"] == first
    site.tells(samples.own(1, first, 0))
    waits_for(browser, "return document.getElementById('m-i1')")
    assert bool(browser.find_elements(By.ID, "first")) is demo


def test_files_are_listed_removed_and_sent(chat: Chrome, site: Site, tmp_path: Path) -> None:
    for name in ("one.txt", "two <b>.txt"):
        (tmp_path / name).write_text("x" * 1500)
    field = chat.find_element(By.NAME, "file")
    field.send_keys("\n".join(str(tmp_path / name) for name in ("one.txt", "two <b>.txt")))
    assert [e.text for e in chat.find_elements(By.CSS_SELECTOR, "#files b")] == [
        "one.txt · 2 kB",
        "two <b>.txt · 2 kB",
    ]
    chat.find_element(By.CSS_SELECTOR, "#files button").click()
    chat.find_element(By.CSS_SELECTOR, "#say .key.main").click()
    waits_for(chat, "return document.getElementById('files').hidden")
    ((_, form),) = site.posted()
    assert form["file"] == "two <b>.txt"


@pytest.mark.parametrize(
    ("made", "where"),
    [
        ("DragEvent('drop', {dataTransfer: held", "body"),
        ("ClipboardEvent('paste', {clipboardData: held", "#words"),
    ],
    ids=["drop", "paste"],
)
def test_a_dropped_and_a_pasted_file_is_taken(
    chat: Chrome, site: Site, made: str, where: str
) -> None:
    chat.find_element(By.ID, "words").send_keys("See")
    chat.execute_script(
        "const held = new DataTransfer(); held.items.add(new File(['x'], 'garden.jpg'));"
        f"window.went = document.querySelector('{where}').dispatchEvent("
        f"new {made}, bubbles: true, cancelable: true}}))"
    )
    assert "garden.jpg" in chat.find_element(By.ID, "files").text
    # The browser does nothing of its own with it.
    assert chat.execute_script("return window.went") is False
    assert chat.find_element(By.ID, "words").get_property("value") == "See"


def test_the_keyboard_alone_reaches_and_presses_every_button(chat: Chrome, site: Site) -> None:
    chat.execute_script("document.activeElement.blur(); window.met = []")
    for _ in range(200):
        types(chat, Keys.TAB)
        seen = chat.execute_script(_MEETS)
        if seen is None:
            break
        # Whoever has the focus sees where it is.
        assert seen["lined"], seen
        if seen["main"]:
            types(chat, Keys.ENTER)
            ((path, form),) = site.posted()
            assert (path.endswith("/press"), form["data"]) == (True, "a-yes")
    assert chat.execute_script(_MISSED) == []
    assert len(site.posts) == 1


def test_code_is_copied_as_it_is(chat: Chrome, site: Site) -> None:
    chat.execute_script(
        "window.held = ''; navigator.clipboard.writeText = async (t) => { window.held = t; }"
    )
    chat.execute_script("document.querySelector('.source [data-copy]').click()")
    spoken(chat, "Copied")
    assert chat.execute_script("return held").startswith("systemctl --user status")


def test_an_answer_is_copied_and_announced_without_the_labels_of_its_code(
    chat: Chrome, site: Site
) -> None:
    chat.execute_script(
        "window.held = ''; navigator.clipboard.writeText = async (t) => { window.held = t; }"
    )
    site.tells(samples.answer(20, "Look:\n\n```python\nprint(1)\n```\n\nThen rest."), "20")
    spoken(chat, "Answered: 2 paragraphs, 1 block of code. Look: print(1) Then rest.")
    chat.execute_script("document.querySelector('#m-o20 [data-copy]:not(.source *)').click()")
    spoken(chat, "Copied")
    assert chat.execute_script("return held").split() == ["Look:", "print(1)", "Then", "rest."]
    # The labels are there as before.
    assert chat.find_element(By.CSS_SELECTOR, "#m-o20 .source > header").text == "python\nCopy"


def test_whoever_sends_from_far_above_sees_what_comes(chat: Chrome, site: Site) -> None:
    where = "return document.querySelector('.log').scrollTop"
    chat.execute_script("document.querySelector('.log').scrollTop = -1000")
    assert chat.execute_script(where) < -100
    words = chat.find_element(By.ID, "words")
    words.send_keys("And now?", Keys.ENTER)
    site.posted()
    waits_for(chat, f"{where} === 0")


def test_nobody_is_told_of_a_short_break_and_the_stream_goes_on_where_it_was(
    chat: Chrome, site: Site
) -> None:
    site.tells(samples.answer(30, "First."), "30")
    waits_for(chat, "return document.getElementById('m-o30')")
    site.cut()
    site.listened(2)
    assert site.marks[-1] == "30"
    assert not chat.find_element(By.ID, "lost").is_displayed()
    site.tells(samples.answer(30, "First, again."), "30")
    site.tells(samples.answer(31, "Second."), "31")
    waits_for(chat, "return document.getElementById('m-o31')")
    assert len(chat.find_elements(By.ID, "m-o30")) == 1


def test_the_number_of_cards_a_word_and_a_message_that_is_gone(chat: Chrome, site: Site) -> None:
    site.says("waiting", "12")
    waits_for(chat, "return document.querySelector('.waits').textContent === '12 open cards'")
    site.says("waiting", "0")
    waits_for(chat, "return document.querySelector('.waits').textContent === ''")
    site.says("told", "Only you can approve this; <b>User77</b> asks.")
    spoken(chat, "Only you can approve this; <b>User77</b> asks.")
    site.says("gone", "m-o5")
    waits_for(chat, "return !document.getElementById('m-o5')")
    assert faults(chat) == []


def test_a_card_further_up_changes_where_the_page_has_it(chat: Chrome, site: Site) -> None:
    rows = "return document.querySelectorAll('#messages > li').length"
    before = chat.execute_script(rows)
    site.says("past", '<li id="m-o1000">One that this page does not have.</li>')
    site.says("past", '<li id="m-o8">It was decided on the phone.</li>')
    shown = "return document.getElementById('m-o8').innerText"
    waits_for(chat, f"{shown} === 'It was decided on the phone.'")
    assert chat.execute_script(rows) == before
    assert chat.find_elements(By.ID, "m-o1000") == []
    assert faults(chat) == []


def test_a_page_of_a_deleted_conversation_says_so_and_takes_no_words(
    chat: Chrome, site: Site
) -> None:
    chat.find_element(By.ID, "words").send_keys("half a thought")
    site.drafts("An answer that grows")
    drawn(chat, "An answer that grows")
    # One answer was erased elsewhere: what this page shows of it is told row by row.
    site.says("erased", "words")
    site.says("erased", "all")
    waits_for(chat, "return !document.getElementById('deleted').hidden")
    assert "This conversation was deleted." in chat.find_element(By.ID, "deleted").text
    # The title was made of its words, and nothing comes any more.
    assert chat.find_element(By.TAG_NAME, "h1").text == "Deleted conversation"
    assert chat.title == "Deleted conversation · Steward"
    assert chat.find_element(By.ID, "live").text == "Ended"
    assert chat.find_elements(By.CSS_SELECTOR, "#messages > [id^=m-]") == []
    assert "An answer that grows" not in chat.find_element(By.ID, "messages").text
    assert not chat.find_element(By.ID, "words").is_displayed()
    chat.find_element(By.CSS_SELECTOR, "#deleted a").click()
    site.listened(2)
    assert chat.find_element(By.ID, "words").get_property("value") == "half a thought"
    assert faults(chat) == []


def test_a_long_page_loads_anew_when_words_were_erased(browser: Chrome, site: Site) -> None:
    many = tuple(samples.own(n, f"Words {n}", 100 - n) for n in range(41))
    browser.get(site.show("much", "chat.html", **samples.chat_values(messages=many)))
    site.listened()
    site.says("erased", "words")
    site.listened(2)


def test_a_sign_in_link_fills_the_field_and_leaves_the_address(browser: Chrome, site: Site) -> None:
    browser.get(f"{site.address}/enter#K7-secret")
    assert browser.find_element(By.ID, "code").get_property("value") == "K7-secret"
    assert browser.current_url == f"{site.address}/enter"


def test_a_break_is_told_after_two_seconds_and_what_is_written_then_goes_once(
    chat: Chrome, site: Site
) -> None:
    site.down = True
    site.cut()
    waits_for(chat, "return document.getElementById('live').textContent === 'Reconnecting'")
    assert chat.find_element(By.ID, "lost").is_displayed()
    chat.find_element(By.ID, "again").click()
    site.down = False
    waits_for(chat, "return document.getElementById('live').textContent === 'Live'")
    assert not chat.find_element(By.ID, "lost").is_displayed()


def test_offline_keeps_the_draft_and_decides_nothing(chat: Chrome, site: Site) -> None:
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    chat.execute_cdp_cmd("Network.enable", {})
    chat.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    try:
        waits_for(chat, "return !document.getElementById('offline').hidden")
        chat.execute_script("document.querySelector('#card-o8 .key.main').click()")
        spoken(chat, "Offline: nothing can be decided until the connection is back.")
        chat.find_element(By.ID, "words").send_keys("later", Keys.ENTER)
        spoken(chat, "Not sent yet")
        assert site.posts == []
    finally:
        chat.execute_cdp_cmd("Network.emulateNetworkConditions", {**offline, "offline": False})
    ((_, form),) = site.posted()
    assert form["text"] == "later"
    waits_for(chat, "return document.getElementById('words').value === ''")


def test_a_page_of_older_messages_comes_in_above(browser: Chrome, site: Site) -> None:
    sized(browser, 1280, 900)
    old = samples.own(90, "The very first words.", 900)
    values = {"frame": samples.FRAME, "chat": samples.CHAT, "messages": (old,), "older": ""}
    site.pages["before"] = site.renderer.fragment("older.html", **values)
    page = samples.chat_values(older="/before")
    browser.get(site.show("with-older", "chat.html", **page))
    browser.execute_script("document.querySelector('.log').scrollTop = -100000")
    waits_for(browser, "return document.getElementById('m-i90')")
    assert browser.find_elements(By.ID, "older") == []
    first = "return document.querySelector('#messages > li').id"
    assert browser.execute_script(first) == "m-i90"


def test_a_picture_is_seen_before_it_is_sent_and_what_would_be_refused_is_said(
    chat: Chrome, site: Site
) -> None:
    chat.execute_async_script(_DROPS)
    waits_for(chat, "return document.querySelector('#files img')?.naturalWidth > 0")
    assert len(chat.find_elements(By.CSS_SELECTOR, "#files img")) == 1
    assert len(chat.find_elements(By.CSS_SELECTOR, "#files .file")) == 10
    told = chat.find_element(By.ID, "told").text
    assert "empty.txt is left out: it is empty, or a folder." in told
    assert "film.mp4 is left out: the files of a message have at most 20 MB." in told
    assert "8.txt is left out: a message has at most ten files." in told
    chat.find_element(By.CSS_SELECTOR, "#files button").click()
    assert chat.find_elements(By.CSS_SELECTOR, "#files img") == []
    assert site.posts == []
    assert faults(chat) == []


def test_a_page_of_another_version_says_so_and_the_draft_stays(chat: Chrome, site: Site) -> None:
    site.says("version", version())
    site.says("waiting", "1")
    waits_for(chat, "return document.querySelector('.waits').textContent === '1 open card'")
    assert not chat.find_element(By.ID, "stale").is_displayed()
    chat.find_element(By.ID, "words").send_keys("half a thought")
    site.says("version", "another")
    waits_for(chat, "return !document.getElementById('stale').hidden")
    chat.find_element(By.CSS_SELECTOR, "#stale a").click()
    waits_for(chat, "return document.getElementById('stale')?.hidden")
    assert chat.find_element(By.ID, "words").get_property("value") == "half a thought"


def test_the_time_that_is_left_is_counted_down_in_silence(chat: Chrome, site: Site) -> None:
    for number, seconds in ((11, 630), (12, 50)):
        until = datetime.now(UTC) + timedelta(seconds=seconds)
        card = samples.steward(number, samples.CARD, 0, press=True, until=until)
        site.tells(card, str(number))
    spoken(chat, "A card waits: Edit backup.conf. Press j.")
    left = "return document.querySelector('#card-o{} [data-left]')?.textContent"
    # The page counts both from here on.
    waits_for(chat, f"{left.format(12)}.endsWith(' s')")
    passes(chat, 450)
    waits_for(chat, f"{left.format(11)} === '2 min'")
    waits_for(chat, f"{left.format(12)} === '0 s'")
    assert "No answer by" in chat.find_element(By.CSS_SELECTOR, "#card-o11 footer").text
    said = chat.find_element(By.ID, "said").get_property("textContent")
    assert said == "A card waits: Edit backup.conf. Press j."


def test_a_phone_finds_commands_and_renames_a_conversation(chat: Chrome, site: Site) -> None:
    sized(chat, 360, 740)
    chat.find_element(By.CSS_SELECTOR, ".find").click()
    waits_for(chat, "return document.getElementById('palette').matches(':popover-open')")
    types(chat, Keys.ESCAPE)
    chat.find_element(By.CSS_SELECTOR, ".talk .seen-key").click()
    chat.find_element(By.CSS_SELECTOR, "#side [data-fill]").click()
    # What lay over the talk has left, so that the words can be seen.
    waits_for(chat, "return !document.getElementById('side').matches(':popover-open')")
    assert focused(chat) == "words"
    assert chat.find_element(By.ID, "words").get_property("value") == "/title "
    # Any page leads there.
    chat.get(f"{site.address}/turn")
    assert chat.find_element(By.CSS_SELECTOR, "a.find").is_displayed()


def test_what_is_in_view_stands_beside_the_talk_and_behind_a_button_on_a_phone(
    chat: Chrome, site: Site
) -> None:
    side, key = chat.find_element(By.ID, "side"), chat.find_element(By.CSS_SELECTOR, ".seen-key")
    assert "18,400 of 200,000 tokens" in side.text
    assert "paused: text from outside" in side.text
    assert not key.is_displayed()
    sized(chat, 360, 740)
    assert not side.is_displayed()
    key = chat.find_element(By.CSS_SELECTOR, ".talk .seen-key")
    key.click()
    waits_for(chat, "return document.getElementById('side').matches(':popover-open')")
    assert side.is_displayed()
    types(chat, Keys.ESCAPE)
    waits_for(chat, "return !document.getElementById('side').matches(':popover-open')")
