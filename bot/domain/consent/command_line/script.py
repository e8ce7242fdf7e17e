"""Reads a script into its simple commands, without running one."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

MARK = "\0"
"""Marks a part of a word that only the shell knows: a variable, a substitution."""

_WORD_ENDS = frozenset(" \t\n;&|()<>")
_REDIRECTION = re.compile(r"&>>?|<<<|<<-?|<>|<&|>&|>>|>\||[<>]\(|[<>]")
_DEPTH = 12


class NotUnderstood(Exception):
    """The command is not understood well enough to count as harmless."""


@dataclass(slots=True)
class SimpleCommand:
    """One simple command of a script: its words, its output files, and a mark for piped input."""

    fed: bool
    words: list[str] = field(default_factory=list[str])
    targets: list[str] = field(default_factory=list[str])
    bodies: list[str] = field(default_factory=list[str])


class ScriptReader:
    """Reads a script into its simple commands, including those in substitutions."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.commands: list[SimpleCommand] = []
        self._text = text
        self._at = 0
        self._depth = depth
        self._documents: list[tuple[SimpleCommand, str, bool]] = []

    def read(self, closing: str = "") -> None:
        self._depth += 1
        if self._depth > _DEPTH:
            raise NotUnderstood
        command = self._begin(fed=False)
        while char := self._peek():
            if char == closing:
                self._at += 1
                self._depth -= 1
                return
            command = self._step(command, char)
        if closing or self._documents:
            raise NotUnderstood
        self._depth -= 1

    def _step(self, command: SimpleCommand, char: str) -> SimpleCommand:
        if char in " \t":
            self._at += 1
        elif char == "#":
            self._at = self._line_end()
        elif char in "<>" or self._text.startswith("&>", self._at):
            self._redirection(command)
        elif char in "\n;&|()":
            return self._operator(char)
        else:
            self._add_word(command)
        return command

    def _operator(self, char: str) -> SimpleCommand:
        self._at += 1
        if char == "\n":
            self._skip_documents()
        fed = char == "|" and self._peek() != "|"
        return self._begin(fed=fed)

    def _add_word(self, command: SimpleCommand) -> None:
        word = self._word()
        if word == "case" and self._depth > 1:
            raise NotUnderstood  # its closing brackets look like the end of the substitution
        command.words.append(word)

    def _begin(self, *, fed: bool) -> SimpleCommand:
        command = SimpleCommand(fed)
        self.commands.append(command)
        return command

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _line_end(self) -> int:
        end = self._text.find("\n", self._at)
        return len(self._text) if end < 0 else end

    def _redirection(self, command: SimpleCommand) -> None:
        found = _REDIRECTION.match(self._text, self._at)
        sign = found[0] if found else ""
        self._at += len(sign)
        if sign in ("<(", ">("):
            self.read(")")
            command.words.append(MARK)
            return
        while self._peek() in (" ", "\t"):
            self._at += 1
        start = self._at
        word = self._word()
        if sign in ("<<", "<<-"):
            expands = self._text[start : self._at] == word
            self._documents.append((command, word, expands))
        elif sign == "<<<":
            command.bodies.append(word)
        elif sign not in ("<", "<&"):
            command.targets.append(word)

    def _skip_documents(self) -> None:
        for command, delimiter, expands in self._documents:
            body = self._document(delimiter)
            command.bodies.append(body)
            if expands:
                self._nest('"' + body.replace('"', "'") + '"')
        self._documents.clear()

    def _document(self, delimiter: str) -> str:
        lines: list[str] = []
        while self._at < len(self._text):
            end = self._line_end()
            line = self._text[self._at : end]
            self._at = min(end + 1, len(self._text))
            if line.lstrip("\t") == delimiter:
                return "\n".join(lines)
            lines.append(line)
        raise NotUnderstood

    def _nest(self, text: str) -> None:
        nested = ScriptReader(text, self._depth)
        nested.read()
        self.commands += nested.commands

    def _word(self) -> str:
        special: dict[str, Callable[[], str]] = {
            "'": self._single,
            '"': self._double,
            "\\": self._escaped,
            "$": self._dollar,
            "`": self._backticks,
        }
        parts: list[str] = []
        while (char := self._peek()) and char not in _WORD_ENDS:
            parts.append(special[char]() if char in special else self._take())
        return "".join(parts)

    def _take(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _until(self, quote: str) -> str:
        end = self._text.find(quote, self._at)
        if end < 0:
            raise NotUnderstood
        inside = self._text[self._at : end]
        self._at = end + 1
        return inside

    def _single(self) -> str:
        self._at += 1
        return self._until("'")

    def _escaped(self) -> str:
        self._at += 1
        if not self._peek():
            raise NotUnderstood
        char = self._take()
        return "" if char == "\n" else char

    def _double(self) -> str:
        self._at += 1
        parts: list[str] = []
        while (char := self._peek()) != '"':
            if not char:
                raise NotUnderstood
            if char == "\\":
                parts.append(self._escaped())
            elif char == "$":
                parts.append(self._dollar(quoted=True))
            else:
                parts.append(self._backticks() if char == "`" else self._take())
        self._at += 1
        return "".join(parts)

    def _dollar(self, *, quoted: bool = False) -> str:
        self._at += 1
        following = self._peek()
        if following == "(":
            self._at += 1
            self.read(")")
        elif following == "'" and not quoted:
            self._at += 1
            while self._peek() not in ("'", ""):
                self._at += 2 if self._peek() == "\\" else 1
            self._until("'")
        elif following == "{" or following.isalnum() or (following and following in "_@*#?-$!"):
            self._at += 1
        else:
            return "" if following == '"' and not quoted else "$"
        return MARK

    def _backticks(self) -> str:
        self._at += 1
        inside = self._until("`")
        if inside.endswith("\\"):
            raise NotUnderstood
        self._nest(inside)
        return MARK
