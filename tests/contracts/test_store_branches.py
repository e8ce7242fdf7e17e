"""A branch begins with the past that it shares, and erased words vanish in every branch."""

from dataclasses import replace

from bot.domain.change import (
    Append,
    DropPassage,
    Erase,
    InboundState,
    JoinChats,
    KeepPassage,
    MarkInbound,
    OpenConversation,
    SaveConversation,
    SaveTurn,
    Show,
)
from bot.domain.change.erasing import Target
from bot.domain.memory.passage import Passage
from bot.domain.talk.chat import Chat, Conversation, InUse
from bot.domain.talk.message import Address, Button, Outbound, OutboundKind, Plain, RawUpdate
from bot.domain.turn.transcript import AskerBody, Body, CutBody, NoteBody, SummaryBody
from bot.domain.turn.turn import TurnState
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW, a_turn, an_entry, commit, later

SECRET = "xyzzyplugh"
USED = InUse("fast", "minutes", True)


async def talk(store: StorePorts, chat: Chat, of: str, *told: Body | str) -> None:
    """Appends a settled turn of the conversation, named after its first number."""
    last = (await store.chats.get(chat.id)).last_seq
    turn = f"turn-{last + 1}"
    here = replace(chat, conversation=of)
    bodies = [AskerBody(one, "Ann") if isinstance(one, str) else one for one in told]
    lines = [an_entry(here, last + n, body, turn) for n, body in enumerate(bodies, 1)]
    row = a_turn(here, turn, state=TurnState.SETTLED)
    await commit(store, SaveTurn(row), Append(chat.id, tuple(lines)))


async def branch(store: StorePorts, chat: Chat, of: str, name: str, at: float = 1) -> str:
    """Leaves one conversation for a branch that begins at the end of the log."""
    known = await store.chats.conversation(chat.id, of)
    assert known is not None
    now = await store.chats.get(chat.id)
    left = replace(known, closed_at=later(at), in_use=USED)
    new = Conversation(name, chat.id, later(at), parent=of, shared=now.last_seq)
    moved = OpenConversation(chat.id, name)
    await commit(store, SaveConversation(left), SaveConversation(new), moved)
    return name


async def told(store: StorePorts, of: str) -> list[str]:
    """Returns the words of a conversation, or the kinds of the entries without any."""
    bodies = [entry.body for entry in await store.journal.entries(of)]
    return [b.text if isinstance(b, AskerBody | SummaryBody | NoteBody) else b.kind for b in bodies]


async def test_a_branch_begins_with_the_past_up_to_its_beginning(
    store: StorePorts, chat: Chat
) -> None:
    first = chat.conversation
    await talk(store, chat, first, "one", "two")
    side = await branch(store, chat, first, "side")
    await talk(store, chat, side, "three")
    twig = await branch(store, chat, side, "twig")
    await talk(store, chat, first, "of the first alone")
    await talk(store, chat, twig, "four")
    await talk(store, chat, side, "of the side alone")
    assert await told(store, first) == ["one", "two", "of the first alone"]
    assert await told(store, side) == ["one", "two", "three", "of the side alone"]
    assert await told(store, twig) == ["one", "two", "three", "four"]
    assert [e.seq for e in await store.journal.entries(twig)] == [1, 2, 3, 5]
    assert [e.seq for e in await store.journal.entries(twig, after=2)] == [3, 5]
    owners = [e.conversation for e in await store.journal.entries(twig)]
    assert owners == [first, first, "side", "twig"]


async def test_conversations_are_listed_with_their_first_words_the_latest_first(
    store: StorePorts, chat: Chat
) -> None:
    first = chat.conversation
    await talk(store, chat, first, NoteBody("task", "no words of a person"), "hello")
    await branch(store, chat, first, "side", 10)
    run = Conversation("run", chat.id, NOW, closed_at=NOW, title="a task")
    silent = Conversation("silent", chat.id, NOW, closed_at=later(50), in_use=InUse())
    old = Conversation("old", chat.id, NOW, closed_at=later(5), title="Older")
    await commit(store, *map(SaveConversation, (run, silent, old)))
    await talk(store, chat, "run", "what the task says")
    await talk(store, chat, "old", "words")
    found = await store.chats.listed(chat.id, 10)
    assert [(one.conversation.id, one.begins) for one in found] == [
        ("side", "hello"),
        (first, "hello"),
        ("old", "words"),
    ]
    assert found[1].conversation.in_use == USED
    assert [o.conversation.id for o in await store.chats.listed(chat.id, 1, 1)] == [first]
    assert await store.chats.listed(chat.id, 5, 3) == []
    await talk(store, chat, "side", "its own words")
    (current, *_) = await store.chats.listed(chat.id, 10)
    assert current.begins == "its own words"
    assert await store.chats.listing(chat.id, "side") == current
    assert await store.chats.listing(chat.id, "run") is None
    assert await store.chats.listing(chat.id, "none") is None
    assert await store.chats.listing(chat.id + 1, "side") is None


async def test_what_was_left_in_one_instant_can_be_opened_all_the_same(
    store: StorePorts, chat: Chat
) -> None:
    await talk(store, chat, chat.conversation, "hello")
    known = await store.chats.conversation(chat.id, chat.conversation)
    assert known is not None
    await commit(store, SaveConversation(replace(known, closed_at=known.opened_at, in_use=InUse())))
    assert await store.chats.listing(chat.id, chat.conversation) is not None
    assert len(await store.chats.listed(chat.id, 5)) == 1


async def test_erased_words_vanish_in_every_branch_with_their_summaries(
    store: StorePorts, chat: Chat
) -> None:
    first = chat.conversation
    await talk(store, chat, first, "before")
    early = await branch(store, chat, first, "early")
    await talk(store, chat, early, SummaryBody(1, "kept"))
    await talk(store, chat, first, SECRET)
    side = await branch(store, chat, first, "side")
    await talk(store, chat, side, "own", SummaryBody(4, SECRET))
    twig = await branch(store, chat, side, "twig")
    fence = (await store.chats.get(chat.id)).fence
    await commit(store, Erase(Target("p1", turn="turn-3")))
    for of in (first, early, side, twig):
        assert SECRET not in str(await told(store, of))
    assert await told(store, first) == ["before", "[erased 2026-11-21]", "cut"]
    assert await told(store, early) == ["before", "kept"]
    assert (await told(store, side))[-2:] == ["[erased 2026-11-21]", "cut"]
    last = (await store.journal.entries(twig))[-1]
    assert (last.conversation, isinstance(last.body, CutBody)) == ("twig", True)
    now = await store.chats.get(chat.id)
    assert now.fence > fence
    assert now.last_seq == 8


async def test_a_conversation_is_erased_with_the_past_that_it_shares(
    store: StorePorts, chat: Chat
) -> None:
    first = chat.conversation
    await talk(store, chat, first, SECRET)
    side = await branch(store, chat, first, "side")
    await talk(store, chat, first, "of the first alone")
    await talk(store, chat, side, SECRET)
    named = await store.chats.conversation(chat.id, side)
    assert named is not None
    await commit(store, SaveConversation(replace(named, title=SECRET)))
    await commit(store, Erase(Target("p1", conversation=side)))
    assert SECRET not in str([await told(store, of) for of in (first, side)])
    assert "of the first alone" in await told(store, first)
    after = await store.chats.conversation(chat.id, side)
    assert after is not None
    assert after.title == "[erased 2026-11-21]"


async def test_a_name_goes_with_everything_also_where_nothing_was_said(
    store: StorePorts, chat: Chat
) -> None:
    await talk(store, chat, chat.conversation, "hello")
    side = await branch(store, chat, chat.conversation, "side")
    named = await store.chats.conversation(chat.id, side)
    assert named is not None
    await store.inbox.accept("telegram", [RawUpdate("1", f"/title {SECRET}")], NOW)
    done = MarkInbound(1, InboundState.DONE, (InboundState.NEW,), chat.id)
    button = Button("All conversations", f"m:conversations:{side}")
    answer = Outbound(OutboundKind.OPTION, (Plain(SECRET),), ((button,),))
    shown = Show("command:1", chat.id, answer)
    await commit(store, SaveConversation(replace(named, title=SECRET)), done, shown)
    await commit(store, Erase(Target("p1", conversation=side)))
    row, update = await store.outbox.row("command:1"), await store.inbox.get(1)
    after = await store.chats.conversation(chat.id, side)
    assert SECRET not in str([row, update, after])
    await commit(store, SaveConversation(replace(named, title=SECRET)))
    await commit(store, Erase(Target(f"c{chat.id}")))
    assert SECRET not in str(await store.chats.conversation(chat.id, side))


async def test_branches_keep_their_past_when_two_chats_become_one(store: StorePorts) -> None:
    old, new = Address("telegram", "-42"), Address("telegram", "-10042")
    kept, other = [await store.chats.at(at, private=False) for at in (old, new)]
    await talk(store, kept, kept.conversation, "kept")
    await talk(store, other, other.conversation, "one")
    side = await branch(store, other, other.conversation, "side")
    await talk(store, other, other.conversation, "of the first alone")
    await talk(store, other, side, "two")
    await commit(store, JoinChats(old, new))
    joined = await store.chats.at(new, private=False)
    assert (joined.id, joined.conversation) == (kept.id, "side")
    assert await told(store, side) == ["one", "two"]
    assert await told(store, kept.conversation) == ["kept"]


async def test_an_answer_is_remembered_while_a_branch_or_its_parent_shows_it(
    store: StorePorts, chat: Chat
) -> None:
    first = chat.conversation
    await talk(store, chat, first, "one")
    await commit(
        store,
        KeepPassage(Passage("turn-1", "p1", NOW, "one", "1", 1, "Ann", chat.id, first)),
    )
    side = await branch(store, chat, first, "side")
    # Everything that branches off here shares the cut.
    await talk(store, chat, side, CutBody((), 0, without=("turn-1",)))
    blind = await branch(store, chat, side, "blind")
    await commit(store, DropPassage("turn-1", side))
    await commit(store, DropPassage("turn-1", blind))
    assert await store.memory.get("turn-1") is not None, "the first one shows it"
    twig = await branch(store, chat, first, "twig")
    await talk(store, chat, first, CutBody((), 0, without=("turn-1",)))
    await commit(store, DropPassage("turn-1", first))
    assert await store.memory.get("turn-1") is not None, "the branch left before the cut"
    await talk(store, chat, twig, CutBody((), 0, without=("turn-10", "turn-1")))
    await commit(store, DropPassage("turn-1", twig))
    assert await store.memory.get("turn-1") is None
