"""The environment in which a known reader runs, so that no settings file makes it run a program."""

from collections.abc import Mapping


def _git_settings(settings: Mapping[str, str]) -> Mapping[str, str]:
    """Returns variables that set these for git, above every file; each git reads one of the two."""
    numbered = {
        name: text
        for number, (key, value) in enumerate(settings.items())
        for name, text in ((f"GIT_CONFIG_KEY_{number}", key), (f"GIT_CONFIG_VALUE_{number}", value))
    }
    # Before 2.31 git knows only this form.
    quoted = " ".join(f"'{key}={value}'" for key, value in settings.items())
    return {**numbered, "GIT_CONFIG_COUNT": str(len(settings)), "GIT_CONFIG_PARAMETERS": quoted}


QUIET: Mapping[str, str] = {
    "HOME": "/dev/null",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    **_git_settings(
        {
            "core.fsmonitor": "false",
            "core.hooksPath": "/dev/null",
            "core.pager": "cat",
            "format.pretty": "medium",
            "gpg.program": "/bin/false",
            "gpg.openpgp.program": "/bin/false",
            "gpg.ssh.program": "/bin/false",
            "gpg.x509.program": "/bin/false",
            "log.showSignature": "false",
            "protocol.allow": "never",
        }
    ),
}
"""The environment of a reader: it reads no file of a home, and git runs and fetches nothing."""
