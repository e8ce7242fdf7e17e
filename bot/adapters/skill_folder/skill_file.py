"""Reads one SKILL.md: the open Agent Skills format, and Steward's additions to it.

A file that other programs accept is accepted here too, with a warning if it breaks the format's
rules. A mistake in Steward's additions is a fault: a guess could do something nobody wrote.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping

from bot.adapters.markdown_folder import Wrong
from bot.adapters.skill_folder import front_matter as yaml
from bot.adapters.skill_folder.declared_servers import declared_servers
from bot.adapters.skill_folder.declared_variables import Lookup, declared_variables
from bot.adapters.skill_folder.front_matter import Fields, Node, line_of
from bot.domain.consent.pre_approval import PreApproved, house_name, pre_approved
from bot.domain.skills.skill import Requirements, Skill

LARGEST = 200_000
"""The most bytes of a SKILL.md."""

_OWN = ("next_skill", "conditional_next_skills", "model_tier", "requires", "vars", "mcp", "tools")
_OPEN = (
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "disable-model-invocation",
)
_NEEDED = frozenset({*_OWN, "name", "description", "metadata", "disable-model-invocation"})
"""Without one of these the skill would be another one, or do more than its file allows."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TOOLS = re.compile(r"[^\s,(]+(?:\([^()]*\))?")
_SAID_NAME = re.compile(r"^name:[ \t]*(\S.{0,200})$", re.MULTILINE)
_RESERVED = ("none", "off", "allow")
_LONGEST_NAME, _LONGEST_DESCRIPTION, _LONGEST_COMPATIBILITY = 64, 1024, 500


def read_skill(content: bytes, folder: str, path: str, lookup: Lookup) -> Skill:
    """Returns the skill that a file describes, in a folder of this name; raises Wrong."""
    if len(content) > LARGEST:
        raise Wrong(0, f"it is larger than {LARGEST // 1000} kB")
    return _Reading(content, folder).skill(path, lookup)


def said_name(content: bytes) -> str:
    """Returns the name in a file, even in an otherwise unreadable one; empty without a name."""
    found = _SAID_NAME.search(content[:4000].decode(errors="replace"))
    return found[1].strip().strip("\"'") if found else ""


def slug(text: str) -> str:
    """Returns the text in small letters, digits and single hyphens, the form of skill names."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST_NAME].strip("-")


class _Reading:
    """Turns one file into a skill and collects warnings."""

    def __init__(self, content: bytes, folder: str) -> None:
        head = yaml.split(_decoded(content), _NEEDED)
        self._found = head.fields
        self._body = head.body
        self._folder = folder
        self._warnings: list[str] = list(head.remarks)

    def skill(self, path: str, lookup: Lookup) -> Skill:
        found = self._found
        name, title = self._name()
        metadata = self._metadata()
        own = {key: found.get(key, metadata.get(key)) for key in _OWN}
        values = {key: node for key, node in own.items() if node and not yaml.is_nothing(node)}
        variables = declared_variables(values.get("vars"), name, lookup, self._warn)
        return Skill(
            name=name,
            title=title,
            description=self._description(),
            body=self._body,
            folder=path,
            license=self._words("license"),
            compatibility=self._compatibility(),
            metadata={k: yaml.plain(v) for k, v in metadata.items() if k not in _OWN},
            tools=self._tools(values),
            pre_approved=self._pre_approved(),
            manual=self._manual(),
            next_skill=_skill_name(values, "next_skill"),
            conditional_next=_conditional(values),
            model_tier=_optional(values, "model_tier") or None,
            requires=self._requirements(values),
            variables=variables,
            servers=declared_servers(values.get("mcp"), name, variables, self._warn),
            extra={k: yaml.plain(v) for k, v in found.items() if k not in (*_OPEN, *_OWN)},
            warnings=tuple(self._warnings),
        )

    def _warn(self, told: str) -> None:
        self._warnings.append(told)

    def _name(self) -> tuple[str, str]:
        """Returns the name used here, and the name in the file if that one differs."""
        node = self._found.get("name")
        said = "" if node is None or not yaml.is_scalar(node) else yaml.scalar(node, "name")
        if not said:
            self._warn("it has no name of its own; its folder names it")
        title = said or self._folder
        name = slug(title) or slug(self._folder)
        if not name:
            name = f"skill-{hashlib.sha256(title.encode(errors='replace')).hexdigest()[:6]}"
        if name in _RESERVED:
            name = f"{name}-skill"
        if said and name != said:
            self._warn(f"name: “{said[:_LONGEST_NAME]}” is called {name} here")
        elif said and said != self._folder:
            self._warn(f"name: {said} is not the name of its folder, {self._folder}")
        return name, said if said != name else ""

    def _description(self) -> str:
        node = self._found.get("description")
        if node is None or yaml.is_nothing(node):
            raise Wrong(1, "description: is missing; say there what it does and when to use it")
        words = yaml.scalar(node, "description")
        if not words:
            raise Wrong(line_of(node), "description: is empty")
        if len(words) > _LONGEST_DESCRIPTION:
            most = f"the format wants at most {_LONGEST_DESCRIPTION}"
            self._warn(f"description: has {len(words)} characters, {most}")
        return words

    def _words(self, key: str) -> str:
        """Returns a text for people; warns of any other value and leaves it out."""
        node = self._found.get(key)
        if node is None or yaml.is_nothing(node):
            return ""
        if not yaml.is_scalar(node):
            self._warn(f"{key}: should be a text")
            return ""
        return yaml.scalar(node, key)

    def _compatibility(self) -> str:
        words = self._words("compatibility")
        if len(words) > _LONGEST_COMPATIBILITY:
            most = f"the format wants at most {_LONGEST_COMPATIBILITY}"
            self._warn(f"compatibility: has {len(words)} characters, {most}")
        return words

    def _metadata(self) -> Fields:
        node = self._found.get("metadata")
        if node is None or yaml.is_nothing(node):
            return {}
        if not yaml.is_mapping(node):
            self._warn("metadata: should be a mapping of names to values")
            return {}
        return yaml.fields(node, "metadata")

    def _pre_approved(self) -> tuple[PreApproved, ...]:
        """Returns the calls that the skill asks to make; spaces, commas or a list separate them."""
        node = self._found.get("allowed-tools")
        if node is None or yaml.is_nothing(node):
            return ()
        if yaml.is_mapping(node):
            self._warn("allowed-tools: should be names between spaces")
            return ()
        return pre_approved(yaml.texts(node, "allowed-tools"))

    def _tools(self, values: Fields) -> tuple[str, ...] | None:
        """Returns the only tools the skill may use; a list without ours is not for us."""
        node = values.get("tools")
        if node is None:
            return None
        named: list[str] = []
        if yaml.is_scalar(node) or yaml.is_list_of_scalars(node):
            named = [n for line in yaml.texts(node, "tools") for n in _TOOLS.findall(line)]
        if named and not any(house_name(name) == name for name in named):
            self._warn("tools: names none of Steward's tools, so it restricts nothing")
            return None
        if not named and not (yaml.is_list(node) and not node.value):
            self._warn("tools: should be names of tools; it restricts nothing")
            return None
        return tuple(dict.fromkeys(named))

    def _manual(self) -> bool:
        node = self._found.get("disable-model-invocation")
        if node is None or not yaml.is_scalar(node):
            return False
        return yaml.scalar(node, "").lower() in ("true", "yes", "on")

    def _requirements(self, values: Fields) -> Requirements:
        """Returns the requirements under our three keys; keys of other programs are ignored."""
        node = values.get("requires")
        if node is None:
            return Requirements()
        if not yaml.is_mapping(node):
            self._warn("requires: is not checked; it should be env, bin or skills with their names")
            return Requirements()
        parts = yaml.fields(node, "requires")
        needs: dict[str, tuple[str, ...]] = {}
        for key, value in parts.items():
            if key in ("env", "bin", "skills") and not yaml.is_mapping(value):
                needs[key] = yaml.texts(value, f"requires: {key}")
            else:
                self._warn(f"requires: {key} is not checked; known are env, bin and skills")
        return Requirements(needs.get("env", ()), needs.get("bin", ()), needs.get("skills", ()))


def _decoded(content: bytes) -> str:
    if b"\0" in content:
        raise Wrong(0, "it is not text")
    try:
        return content.decode()
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        raise Wrong(line, "it is not UTF-8") from None


def _optional(found: Fields, key: str) -> str:
    node = found.get(key)
    return yaml.text(node, key) if node is not None and not yaml.is_nothing(node) else ""


def _skill_name(found: Fields, key: str) -> str | None:
    return _named(found[key], key) if key in found else None


def _named(node: Node, what: str) -> str:
    name = yaml.text(node, what)
    if not _NAME.fullmatch(name):
        raise Wrong(line_of(node), f"{what}: should be the name of a skill")
    return name


def _conditional(found: Fields) -> Mapping[str, str]:
    node = found.get("conditional_next_skills")
    if node is None:
        return {}
    what = "conditional_next_skills"
    return {k: _named(v, f"{what}: {k}") for k, v in yaml.fields(node, what).items()}
