"""Which servers a chat has, and which of them wait for an owner's word."""

from dataclasses import replace
from datetime import UTC, datetime

from bot.domain.change import AllowServer, Change
from bot.domain.skills.skill import Skill, SkillServer
from bot.domain.tools.server import ServerConsent, ServerSpec
from bot.domain.tools.variable import Variable
from bot.flow.models.lending import Lending, server_of
from tests.fakes.skills import FakeSkills
from tests.fakes.store import MemoryStore

OWN = ServerSpec("time", ("uvx", "mcp-server-time"))
SERVER = SkillServer("tickets", ("tickets", "serve"), env={"URL": "https://{{HOST}}/{{TOKEN}}"})
SKILL = Skill(
    "support",
    "Answers tickets.",
    "Look.",
    "/skills/support",
    variables=(
        Variable("HOST", "tickets.example.org"),
        Variable("TOKEN", "swordfish", secret=True),
    ),
    servers=(SERVER, SkillServer("time", ("other",))),
)
AT_WORK = ("support",)


def lending(store: MemoryStore) -> Lending:
    return Lending([OWN], FakeSkills(SKILL), store.consents)


async def test_a_chat_without_a_skill_has_the_operators_servers() -> None:
    assert await lending(MemoryStore()).wanted(()) == (OWN,)
    assert await lending(MemoryStore()).wanted(["unknown"]) == (OWN,)


async def test_a_skills_server_waits_for_a_word_and_the_operators_keeps_its_name() -> None:
    own, brought = await lending(MemoryStore()).wanted(AT_WORK)
    assert own == OWN
    assert (brought.name, brought.skill, brought.allowed) == ("tickets", "support", False)
    assert brought.folder == "/skills/support"


async def test_of_two_servers_with_one_name_the_first_skills_counts() -> None:
    other = replace(SKILL, name="sales", folder="/skills/sales")
    shelf = Lending([], FakeSkills(SKILL, other), MemoryStore().consents)
    found = [
        [(s.name, s.skill) for s in await shelf.wanted(w)] for w in (AT_WORK, ("sales", *AT_WORK))
    ]
    assert found[0] == [("tickets", "support"), ("time", "support")]
    assert found[1] == [("tickets", "sales"), ("time", "sales")]


async def test_secret_variables_reach_the_environment_and_are_known_as_secrets() -> None:
    _, brought = await lending(MemoryStore()).wanted(AT_WORK)
    assert dict(brought.env)["URL"] == "https://tickets.example.org/swordfish"
    assert dict(brought.env)["TOKEN"] == "swordfish"
    assert brought.secrets == ("swordfish",)
    assert "swordfish" not in repr(brought)


async def test_a_word_holds_for_exactly_what_was_shown() -> None:
    store = MemoryStore()
    shelf = lending(store)
    _, brought = await shelf.wanted(AT_WORK)
    consent = ServerConsent(brought.identity, "tickets", brought.line, datetime.now(UTC))
    await store.journal.commit(Change((AllowServer(consent),)))
    assert (await shelf.wanted(AT_WORK))[1].allowed
    changes = (
        replace(brought, command=("tickets", "serve", "--all")),
        replace(brought, env=(*brought.env, ("PATH", "/tmp"))),
        replace(brought, folder="/elsewhere"),
        replace(brought, command=(), url="https://tickets.example.org"),
        replace(brought, name="other"),
    )
    assert all(other.identity != brought.identity for other in changes)


async def test_an_owner_is_shown_every_value_that_is_no_secret_and_asked_when_one_changes() -> None:
    _, brought = await lending(MemoryStore()).wanted(AT_WORK)
    assert dict(brought.told_env) == {
        "HOST": "tickets.example.org",
        "TOKEN": "{{TOKEN}}",
        "URL": "https://tickets.example.org/{{TOKEN}}",
    }

    async def identity(host: str, token: str, url: str) -> str:
        variables = (Variable("HOST", host), Variable("TOKEN", token, secret=True))
        server = replace(SERVER, env={"URL": url})
        shelf = Lending(
            [],
            FakeSkills(replace(SKILL, variables=variables, servers=(server,))),
            MemoryStore().consents,
        )
        return (await shelf.wanted(AT_WORK))[0].identity

    host, url = "tickets.example.org", SERVER.env["URL"]
    assert await identity(host, "another", url) == brought.identity
    assert await identity("elsewhere.example.org", "swordfish", url) != brought.identity
    assert await identity(host, "swordfish", "https://{{HOST}}/?all={{TOKEN}}") != brought.identity


def test_the_line_of_a_server_has_the_values_of_its_skill_but_no_secret() -> None:
    variables = (Variable("ZONE", "eu"), Variable("TOKEN", "s3cret", secret=True))
    server = SkillServer("x", ("run", "--zone={{ZONE}}", "{{TOKEN}}", "{{GONE}}"))
    spec = server_of(Skill("a", "A.", "Do.", "/a", variables=variables), server)
    assert spec.command == ("run", "--zone=eu", "{{TOKEN}}", "{{GONE}}")
    web = SkillServer("x", url="https://{{ZONE}}.example.org/mcp")
    spec = server_of(Skill("a", "A.", "Do.", "/a", variables=variables), web)
    assert spec.url == "https://eu.example.org/mcp"
