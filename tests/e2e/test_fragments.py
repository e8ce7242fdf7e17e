"""Messages in pieces, and messages without words, through the real process."""

import pytest

from tests.adapters.media import files
from tests.e2e.steward import Steward, words_in
from tests.e2e.test_attachments import images_in
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, text

WINDOW = {"STEWARD_BUNDLE_SECONDS": "0.5"}


@pytest.mark.shared
@pytest.mark.telegrams_own("an app cuts a paste at 4,096 characters")
async def test_a_long_paste_in_three_pieces_is_one_message(steward: Steward) -> None:
    steward.script(text("Long."))
    await steward.start(STEWARD_BUNDLE_SECONDS=20)
    pasted = "".join(f"{n:07d} words " for n in range(770))[:10_000]
    assert len(steward.telegram.paste(steward.ann, pasted)) == 3
    # The third piece is shorter than a message may be: nobody waits out the 20 seconds.
    await steward.sees("Long.")
    assert pasted.strip() in words_in(await steward.asked(1))
    assert len(steward.shown) == 1


async def test_forwards_and_their_comment_are_one_turn(steward: Steward) -> None:
    lost = Gate()
    steward.script(text("What?").held(lost), text("They want money."))
    await steward.start(**WINDOW)
    # An app sends them within a second, however long the machine takes to ask the model.
    with steward.one_moment():
        steward.say("What do these people want?")
        await lost.arrived()
        for words in ("Dear Sir", "Send 5 BTC", "Now"):
            steward.forward(words, "Eve")
    await steward.sees("They want money.")
    asked = steward.model.requests[-1].body["messages"]
    told = str(asked)
    assert len(asked) == 1
    assert told.index("What do these people want?") < told.index(
        '<quoted_data from="a forward from '
    )
    assert told.index("Dear Sir") < told.index("Send 5 BTC") < told.index("Now\\n</quoted_data>")
    assert steward.records.stop_reasons == ["final_answer"]
    assert len(steward.shown) == 1


@pytest.mark.telegrams_own("albums")
async def test_an_album_with_a_late_part_is_one_turn(steward: Steward) -> None:
    asked = Gate()
    steward.script(text("Three.").held(asked), text("Four."))
    await steward.start(**WINDOW)
    album = steward.telegram.album()
    photos = [files.picture(20 + n, 20) for n in range(4)]
    for n, photo in enumerate(photos[:3]):
        caption = "Compare these" if n == 0 else ""
        steward.telegram.send_photo(steward.ann, photo, caption=caption, album=album)
    await asked.arrived()
    assert len(images_in(await steward.asked(1))) == 3
    steward.telegram.send_photo(steward.ann, photos[3], album=album)
    await steward.sees("Four.")
    last = steward.model.requests[-1]
    assert len(images_in(last)) == 4
    assert "This came late: it is a part of the message before" in words_in(last)
    assert steward.records.stop_reasons == ["final_answer"]


async def test_killed_while_it_waits_for_more_the_next_life_has_the_whole(
    steward: Steward,
) -> None:
    lost = Gate()

    def whole(request: ReceivedRequest) -> Reply:
        # The machine may take so long that the last part joins a turn that has begun.
        has_all = "Now" in str(request.body["messages"])
        return text("They want money.") if has_all else text("What?").held(lost)

    steward.model.script.rule(whole)
    await steward.start(STEWARD_BUNDLE_SECONDS=20)
    with steward.one_moment():
        for words in ("Dear Sir", "Send 5 BTC"):
            steward.forward(words, "Eve")
        waiting = "SELECT count(*) FROM inbox WHERE state = 'waiting'"
        await steward.eventually(lambda: steward.records.rows(waiting) == [(2,)])
        await steward.kill()
        steward.forward("Now", "Eve")
    await steward.start(**WINDOW)
    await steward.sees("They want money.")
    told = str(steward.model.requests[-1].body["messages"])
    assert told.index("Dear Sir") < told.index("Send 5 BTC") < told.index("Now\\n</quoted_data>")
    assert len(steward.shown) == 1
    assert steward.records.stop_reasons == ["final_answer"]


async def test_what_has_no_words_reaches_the_model_as_text(steward: Steward) -> None:
    sent = list(steward.wordless())
    steward.script(*(text(f"Seen {n}.") for n in range(len(sent))))
    await steward.start()
    for n, (send, told) in enumerate(sent):
        send()
        await steward.sees(f"Seen {n}.")
        assert told in words_in(await steward.asked(n + 1))


async def test_a_photo_that_is_answered_is_looked_at(steward: Steward) -> None:
    steward.script(text("A flag."), text("Still a flag."))
    await steward.start()
    photo = steward.photo(files.picture(20, 20), "My flag")
    await steward.sees("A flag.")
    steward.say("What was this?", reply_to=photo)
    await steward.sees("Still a flag.")
    asked = await steward.asked(2)
    assert len(images_in(asked)) == 1
    told = "[a photo of the quoted message, “photo.jpg”, came along; it is kept as inbox/photo.jpg"
    assert told in words_in(asked)


async def test_typing_is_shown_while_a_file_is_fetched(steward: Steward) -> None:
    steward.script(text("Read."))
    await steward.start()
    fetching = steward.way.hold_file()
    steward.attach(b"words", "a.txt")
    await fetching.arrived()
    await steward.until(lambda: steward.typing)
    assert steward.model.requests == []
    fetching.release()
    await steward.sees("Read.")


@pytest.mark.telegrams_own("albums")
async def test_a_groups_album_is_called_by_its_last_caption_even_over_a_kill(
    steward: Steward,
) -> None:
    telegram = steward.telegram
    team = telegram.group("Team", steward.ann, admins=(telegram.bot,))
    steward.script(text("Three."))
    await steward.start(STEWARD_BUNDLE_SECONDS=20)
    album = telegram.album()
    photos = [files.picture(20 + n, 20) for n in range(4)]
    telegram.send_photo(steward.ann, files.picture(20, 20), chat=team, album=telegram.album())
    for photo in photos[:2]:
        telegram.send_photo(steward.ann, photo, chat=team, album=album)
    kept = "SELECT count(*) FROM inbox WHERE state = 'new'"
    await steward.eventually(lambda: steward.records.rows(kept) == [(3,)])
    await steward.kill()
    caption = "@steward_bot compare"
    telegram.send_photo(steward.ann, photos[2], chat=team, caption=caption, album=album)
    await steward.start(**WINDOW)
    answer = await steward.until(lambda: telegram.screen(team.id).from_bot)
    assert answer[0].text == "Three."
    assert len(images_in(await steward.asked(1))) == 3
    dropped = "SELECT count(*) FROM inbox WHERE state = 'done' AND length(body) = 0"
    await steward.eventually(lambda: steward.records.rows(dropped) >= [(1,)])


@pytest.mark.telegrams_own("albums")
async def test_the_rest_of_a_groups_album_in_the_next_life_belongs_to_its_beginning(
    steward: Steward,
) -> None:
    telegram = steward.telegram
    team = telegram.group("Team", steward.ann, admins=(telegram.bot,))
    steward.script(text("Two."))
    await steward.start(STEWARD_BUNDLE_SECONDS=20)
    album, photos = telegram.album(), [files.picture(20 + n, 20) for n in range(2)]
    caption = "@steward_bot compare"
    telegram.send_photo(steward.ann, photos[0], chat=team, caption=caption, album=album)
    waiting = "SELECT count(*) FROM inbox WHERE state = 'waiting'"
    await steward.eventually(lambda: steward.records.rows(waiting) == [(1,)])
    await steward.kill()
    telegram.send_photo(steward.ann, photos[1], chat=team, album=album)
    await steward.start(**WINDOW)
    await steward.until(lambda: telegram.screen(team.id).from_bot)
    assert len(images_in(await steward.asked(1))) == 2


@pytest.mark.telegrams_own("albums")
async def test_an_album_counts_once_for_the_pace_and_comes_whole(steward: Steward) -> None:
    telegram = steward.telegram
    bob = telegram.person(43, "Bob")
    telegram.private_chat(bob)
    steward.script(text("Four."))
    await steward.start(STEWARD_ALLOWED="telegram:43", STEWARD_MEMBER_PACE="2/min", **WINDOW)
    album = telegram.album()
    for n in range(4):
        telegram.send_photo(bob, files.picture(20 + n, 20), album=album)
    await steward.until(lambda: telegram.screen(43).from_bot)
    assert len(images_in(await steward.asked(1))) == 4
    telegram.say(bob, "/status")
    shown = await steward.until(lambda: telegram.screen(43).from_bot[1:])
    assert "messages a minute" not in shown[0].text
