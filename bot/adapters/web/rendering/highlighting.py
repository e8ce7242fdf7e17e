"""Code with its words coloured by classes: what is a word of the language, a text, a remark."""

from collections.abc import Iterator
from functools import cache

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Operator, String, _TokenType
from pygments.util import ClassNotFound

LONGEST = 10_000
"""Characters of code above which its words are not coloured."""

# fmt: off
_KNOWN = frozenset([
    "awk", "bash", "bat", "c", "c#", "c++", "clojure", "cmake", "console", "cpp", "cs", "csharp",
    "css", "csv", "dart", "docker", "dockerfile", "elixir", "erlang", "fish", "go", "graphql",
    "groovy", "haskell", "hcl", "html", "ini", "java", "javascript", "js", "json", "jsx", "julia",
    "kotlin", "less", "lua", "make", "makefile", "matlab", "nginx", "nix", "objective-c", "ocaml",
    "perl", "php", "powershell", "properties", "protobuf", "ps1", "py", "python", "python3", "r",
    "rb", "rs", "rst", "ruby", "rust", "sass", "scala", "scss", "sh", "shell", "sql", "svg",
    "swift", "terraform", "tex", "toml", "ts", "tsx", "typescript", "vb", "vim", "xml", "yaml",
    "yml", "zig", "zsh",
])
# fmt: on
"""Languages whose readers are loaded: what a text names chooses no other code to run."""

_CLASSES = (
    (Comment, "c"),
    (String, "s"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Builtin, "k"),
    (Name.Tag, "k"),
)


def highlighted(code: str, language: str) -> Markup:
    """Returns the code as HTML; with colours if its language is known and it is not too long."""
    lexer = _lexer(language.lower()) if len(code) <= LONGEST else None
    if lexer is not None:
        tokens = [(_class_of(kind), text) for kind, text in lexer.get_tokens(code)]
        # Some readers of code change it: what is shown must be the code itself.
        if "".join(text for _, text in tokens) == code:
            return Markup("").join(_spans(tokens))
    return escape(code)


def _spans(tokens: list[tuple[str, str]]) -> Iterator[Markup]:
    for name, text in tokens:
        yield Markup('<span class="{}">{}</span>').format(name, text) if name else escape(text)


def _class_of(kind: _TokenType) -> str:
    return next((name for group, name in _CLASSES if kind in group), "")


@cache
def _lexer(language: str) -> Lexer | None:
    if language not in _KNOWN:
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
