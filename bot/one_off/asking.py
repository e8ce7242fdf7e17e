"""Asks one question from the command line: of a running program, or of one that it starts."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bot.adapters.system_clock import SystemClock
from bot.adapters.terminal.question import Question, Wish
from bot.adapters.tools.hardening import harden
from bot.bootstrap.channel_form import Accept, OpenChannel
from bot.bootstrap.contained_channel import ChannelFaults, ContainedChannel
from bot.bootstrap.hosting import host_of
from bot.bootstrap.named_rules import NamedRules
from bot.bootstrap.opening import opened
from bot.bootstrap.question_record import QuestionRecord
from bot.bootstrap.serving import run
from bot.bootstrap.world import Channels
from bot.domain.talk.person import Role
from bot.logs import Secrets
from bot.one_off.patience import first_that_opens
from bot.settings import Settings
from bot.visits.answer import code_of, printed
from bot.visits.visiting import asked, working_in


async def ask(
    settings: Settings,
    words: str,
    secrets: Secrets,
    *,
    folder: Path | None = None,
    yes_to: Sequence[str] = (),
    piped: bytes = b"",
    as_json: bool = False,
) -> int:
    """Asks, prints the answer, and returns the exit code."""
    wish = Wish(words, piped, tuple(yes_to), folder)
    return await first_that_opens(
        partial(asked, settings.home, wish, working_in(folder), as_json=as_json),
        partial(_ask_here, settings, wish, secrets, as_json=as_json),
    )


async def _ask_here(settings: Settings, wish: Wish, secrets: Secrets, *, as_json: bool) -> int:
    """Asks in a program of its own, which ends with the answer."""
    harden()
    question = Question(wish, SystemClock())
    name = question.channel.name
    faults = ChannelFaults()
    channel = ContainedChannel(question.channel, faults)
    channels = Channels({name: channel}, {name: question})
    async with opened(settings, channels, secrets) as live:
        await live.store.people.admit(question.sender, Role.OWNER)
        record = QuestionRecord(live.store, question.address)
        rules = NamedRules(live.store, settings.policy.documents, question.address, question.sender)
        await rules.check(wish.yes_to)
        listen = partial(_hold, question, record, rules)
        await run(settings, [OpenChannel(channel, listen)], live, host_of(live), (), faults)
        await question.finish()
        report = await record.report()
    printed(question, report, as_json=as_json)
    return code_of(question, report)


async def _hold(
    question: Question, record: QuestionRecord, rules: NamedRules, accept: Accept
) -> None:
    covered = partial(rules.cover, names=question.yes_to)
    await question.hold(accept, record.complete, covered)
