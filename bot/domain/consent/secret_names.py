"""Names of files and folders that commonly hold keys and passwords."""

import re
from fnmatch import translate

from bot.domain.tools.tool import ToolCall

_NAMES = (
    ".env* *.env *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.gpg *.asc "
    "id_rsa* id_dsa* id_ecdsa* id_ed25519* .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .htpasswd "
    ".git-credentials credentials credentials.* *credentials*.json secret secrets secret.* "
    "secrets.* *.secret *.secrets *token*.json *.token service-account*.json .ssh .gnupg .aws "
    ".azure .kube .docker .password-store steward.toml *.tfstate *.tfvars .vault-token .s3cfg "
    ".dockercfg kubeconfig password.* passwords.* .*_history"
)
_PATHS = ".git/config gh/hosts.yml .config/hub glab-cli/config.yml"
"""Files that are secrets in their folder alone: clients write tokens into them."""

_COPIES = re.compile(r"(?:~|\.(?:bak|old|orig|save|swp))+$")
"""Endings that an editor puts behind the name of a file that it copies."""

_SECRETS = re.compile("|".join(map(translate, _NAMES.split())))
_SECRET_PATHS = re.compile("|".join(rf"(?:.*/)?{re.escape(one)}" for one in _PATHS.split()))
_OPENERS = frozenset({"read_file", "search_files"})


def is_secret(path: str) -> bool:
    """Returns True for a path of which a part has such a name; case does not count."""
    parts = [_COPIES.sub("", part) for part in path.casefold().split("/") if part not in ("", ".")]
    whole = "/".join(parts)
    return any(map(_SECRETS.fullmatch, parts)) or _SECRET_PATHS.fullmatch(whole) is not None


def opens_secret(call: ToolCall, workspace: str) -> bool:
    """Returns True for a call that shows what such a file of the workspace holds."""
    path = (call.arguments or {}).get("path")
    if call.name not in _OPENERS or not isinstance(path, str):
        return False
    return is_secret(path.removeprefix(workspace))
