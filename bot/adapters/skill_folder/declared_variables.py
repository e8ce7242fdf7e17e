"""The variables that a SKILL.md declares, and the names that no variable may have."""

import re
from collections.abc import Callable, Mapping

from bot.adapters.markdown_folder import Wrong
from bot.adapters.skill_folder import front_matter as yaml
from bot.adapters.skill_folder.front_matter import Node, line_of
from bot.domain.tools.variable import Variable

Lookup = Callable[[str, str], str | None]
"""Returns the operator's value of a variable, by skill and name."""

_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_KEYS = frozenset({"default", "required", "secret", "description"})

_OURS = (
    "STEWARD_",
    "ANTHROPIC_",
    "OPENAI_",
    "TELEGRAM_",
    "DISCORD_",
    "CLAUDE_",
    "SKILL_DIR",
    "HOOK_",
)
_NAMES = """
PATH HOME USER LOGNAME SHELL PWD OLDPWD TMPDIR TMP TEMP TERM LANG TZ TZDIR IFS ENV SHELLOPTS
BASHOPTS PROMPT_COMMAND CDPATH GLOBIGNORE EXECIGNORE FIGNORE HISTFILE INPUTRC ZDOTDIR FPATH
FPS PS0 PS1 PS2 PS3 PS4 POSIXLY_CORRECT LOCPATH NLSPATH GCONV_PATH GETCONF_DIR TERMINFO
TERMINFO_DIRS TERMCAP HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_HOST_CONF CLASSPATH
JAVA_HOME NODE_PATH EDITOR VISUAL BROWSER MAKEFILES MAKEFLAGS WGETRC WGET_ASKPASS
SUDO_ASKPASS DOCKER_HOST DOCKER_CONFIG CC CXX CPP AS AR LD RUSTC RUSTDOC TCLLIBPATH
PSMODULEPATH COR_PROFILER R_HOME AWKPATH AWKLIBPATH TAR_OPTIONS GZIP ZIPOPT UNZIP RSYNC_RSH
CVS_RSH PGSYSCONFDIR PGSERVICEFILE MYSQL_HOME SQLITE_HISTORY REQUESTS_CA_BUNDLE GOPATH
GOROOT GOFLAGS GOPROXY GOENV GOBIN GOTOOLCHAIN GOCACHE HGRCPATH HGUSER HGMERGE HGEDITOR HG
LESS LESSOPEN LESSCLOSE LESSKEY VIM VIMINIT VIMRUNTIME MYVIMRC EXINIT EMACSLOADPATH GHCRTS
TCL_LIBRARY TK_LIBRARY MANPATH INFOPATH GREP_OPTIONS GREP_COLORS MAGIC NETRC GNUPGHOME
KUBECONFIG CONFIG_SHELL BC_ENV_ARGS ODBCINI MYPYPATH IPYTHONDIR MPLCONFIGDIR FCEDIT TAR M4 ZIPINFO
RAKEOPT BUNDLER MSBUILD NINJA TCLSH GAWKPATH SSLKEYLOGFILE AWS_CONFIG_FILE
AWS_SHARED_CREDENTIALS_FILE COMPILER_PATH BORG_REMOTE_PATH GS_LIB TEXINPUTS BIBINPUTS FFREPORT
LADSPA_PATH LV2_PATH FREI0R_PATH SASL_PATH NMAPDIR TASKDATA OPAMROOT
"""
_OBEYED = frozenset(_NAMES.split())
_BEGINNINGS = """
LD_ DYLD_ BASH_ LC_ PYTHON PERL RUBY NODE_ NPM_CONFIG YARN_ PNPM_ DENO_ BUN_ GIT_ SSH_ SVN_ GEM_
BUNDLE_ PHP LUA JAVA_TOOL JDK_ JULIA_ ERL_ ELIXIR_ DOTNET_ CORECLR_ COMPLUS_ COR_ CARGO_ RUSTUP_
PIP_ UV_ POETRY_ CONDA_ VIRTUAL_ENV MALLOC_ GLIBC_ OPENSSL_ SSL_ CURL_ XDG_ DBUS_ GTK_ QT_ GST_
GDK_ GIO_ R_PROFILE R_ENVIRON R_LIBS OCAML MAVEN_ GRADLE_ ANSIBLE_ TF_CLI SYSTEMD_ ASAN_ UBSAN_
TSAN_ LSAN_ GUILE_ RIPGREP_ FZF_ BAT_ DIRENV_ MISE_ ASDF_ GH_CONFIG PYTEST_ COVERAGE_ DJANGO_
FLASK_ GUNICORN_ CELERY_ ALEMBIC_ JUPYTER_ PRE_COMMIT_ NIX_ CMAKE_ CTEST_ PKG_CONFIG AUTOCONF
AUTOM4TE ACLOCAL_ RSYNC_ CVS_ ELECTRON_ TS_NODE_ ESLINT_ BABEL_ JEST_ ANT_ MIX_ HELM_ TERRAFORM_
PULUMI_ VAGRANT_ DOCKER_ KRB5_ FONTCONFIG_ JQ_ WINEDLL VK_ GPG_ COMPOSER GCC_ MAGICK_ ODBC
RCLONE_ TEXMF CALIBRE_ INKSCAPE_ BLENDER_ GDAL_ PASSWORD_STORE_ CLOUDSDK_ SBT_ NNN_ P4
"""
_OBEYED_BEGINNINGS = tuple(_BEGINNINGS.split())
_ENDS = """
_OPTS _OPTIONS _PROXY PAGER FLAGS _PRELOAD EDITOR _RC _ADDOPTS _ARGS _PLUGIN _PLUGINS RCFILE
LIBRARY_PATH _PLUGIN_PATH _MODULE_PATH _DRIVER_PATH _COMMAND _CMD PASSCOMMAND ASKPASS RSH _SSH
_SHELL BROWSER _OPENER _PROGRAM _HELPER _WRAPPER _LAUNCHER _EXEC _EXEC_PREFIX _INIT _INIT_FILE
_STARTUP SYSINI _CFG CONFDIR _CONF _CONFIG _CONFIG_PATH _CONFIG_FILE _CONFIG_DIR _CONFIG_HOME _HOME
"""
_OBEYED_ENDS = tuple(_ENDS.split())
_SETTINGS_FILE = re.compile(r".*(?<![SA])RC")
"""PSQLRC, MAILRC and their like; a name in SRC or ARC is a source or an archive."""


def declared_variables(
    node: Node | None, skill: str, lookup: Lookup, warn: Callable[[str], None]
) -> tuple[Variable, ...]:
    """Returns a skill's variables; leaves out one with a forbidden name, with a warning."""
    if node is None:
        return ()
    found: list[Variable] = []
    for name, value in yaml.fields(node, "vars").items():
        if why := refusal_of(name):
            warn(f"vars: {name} is left out: {why}")
        else:
            found.append(_variable(name, value, lookup(skill, name)))
    return tuple(found)


def refusal_of(name: str) -> str:
    """Returns the reason why no skill may have a variable of this name; empty when one may.

    Some variables make programs load code, run a command, or look for files elsewhere. With one of
    them, a value that seems harmless would change the effect of every approved command.
    """
    if not _NAME.fullmatch(name):
        return "a name is made of capital letters, digits and underscores"
    if name.startswith(_OURS):
        return "this name belongs to Steward"
    return "programs obey a variable of this name" if _is_obeyed(name) else ""


def _is_obeyed(name: str) -> bool:
    known = name in _OBEYED or name.startswith(_OBEYED_BEGINNINGS)
    return known or name.endswith(_OBEYED_ENDS) or _SETTINGS_FILE.fullmatch(name) is not None


def _variable(name: str, node: Node, given: str | None) -> Variable:
    what = f"vars: {name}"
    if not yaml.is_mapping(node):
        default = None if yaml.is_nothing(node) else yaml.scalar(node, what)
        return Variable(name, given if given is not None else default)
    parts: Mapping[str, Node] = yaml.fields(node, what)
    if unknown := parts.keys() - _KEYS:
        # A misspelt `secret` must not let the value into prompts.
        key, known = min(unknown), ", ".join(sorted(_KEYS))
        raise Wrong(line_of(parts[key]), f"{what}: {key} is none of {known}")
    default = yaml.scalar(parts["default"], what) if "default" in parts else None
    told = parts.get("description")
    return Variable(
        name,
        given if given is not None else default,
        required="required" in parts and yaml.flag(parts["required"], f"{what}: required"),
        secret="secret" in parts and yaml.flag(parts["secret"], f"{what}: secret"),
        description="" if told is None or yaml.is_nothing(told) else yaml.text(told, what),
    )
