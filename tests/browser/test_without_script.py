"""Reading and deciding in a browser that runs no script."""

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.browser.chromium import sized
from tests.browser.site import Site


def test_a_card_is_decided_by_a_form(scriptless: Chrome, site: Site) -> None:
    sized(scriptless, 1280, 900)
    scriptless.get(f"{site.address}/chat")
    scriptless.find_element(By.CSS_SELECTOR, "#card-o8 .key.main").click()
    ((path, form),) = site.posted()
    assert path.endswith("/press")
    assert form == {"csrf": "token", "message": "o8", "id": "once-o8", "data": "a-yes"}


def test_a_change_is_said_in_a_field_that_opens(scriptless: Chrome, site: Site) -> None:
    sized(scriptless, 390, 844)
    scriptless.get(f"{site.address}/chat")
    scriptless.find_element(By.CSS_SELECTOR, "#card-o8 summary").click()
    scriptless.find_element(By.CSS_SELECTOR, "#card-o8 textarea").send_keys("20 days")
    scriptless.find_element(By.CSS_SELECTOR, "#card-o8 .answering button").click()
    ((path, form),) = site.posted()
    assert path.endswith("/word")
    assert (form["data"], form["text"]) == ("a-other", "20 days")


def test_a_message_is_sent_and_a_command_is_chosen(scriptless: Chrome, site: Site) -> None:
    sized(scriptless, 1280, 900)
    scriptless.get(f"{site.address}/chat")
    scriptless.find_element(By.ID, "words").send_keys("Hello")
    scriptless.find_element(By.CSS_SELECTOR, "#say .key.main").click()
    site.posted()
    scriptless.get(f"{site.address}/chat")
    scriptless.find_element(By.CSS_SELECTOR, ".find").click()
    scriptless.find_element(By.CSS_SELECTOR, "#palette [value='/status']").click()
    assert [form["text"] for _, form in site.posted(2)] == ["Hello", "/status"]
    assert all(form["csrf"] == "token" and form["id"] for _, form in site.posts)


def test_what_only_a_script_can_do_is_not_offered(scriptless: Chrome, site: Site) -> None:
    sized(scriptless, 1280, 900)
    scriptless.get(f"{site.address}/chat")
    offered = [
        one for one in scriptless.find_elements(By.CSS_SELECTOR, ".scripted") if one.is_displayed()
    ]
    assert offered == []
    assert scriptless.find_element(By.LINK_TEXT, "Reload").is_displayed()
    assert scriptless.find_element(By.LINK_TEXT, "Why this answer").is_displayed()


def test_the_list_of_cards_is_loaded_again_by_a_link(scriptless: Chrome, site: Site) -> None:
    scriptless.get(f"{site.address}/cards")
    assert scriptless.find_element(By.LINK_TEXT, "Reload").is_displayed()
