"""Seals secrets with a passphrase: scrypt makes the key, AES-GCM tells if anything was changed."""

import hashlib
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from bot.domain.talk.errors import SettingError

_MARK = b"steward-sealed-1\n"
_SALT, _NONCE = 16, 12
_MEMORY = 128 * 1024 * 1024


def sealed(content: bytes, passphrase: str) -> bytes:
    """Returns the content as only the passphrase opens it again."""
    salt, nonce = os.urandom(_SALT), os.urandom(_NONCE)
    return _MARK + salt + nonce + AESGCM(_key(passphrase, salt)).encrypt(nonce, content, _MARK)


def unsealed(content: bytes, passphrase: str) -> bytes:
    """Raises SettingError for another passphrase, or for bytes that were changed."""
    body = content.removeprefix(_MARK)
    salt, nonce, rest = body[:_SALT], body[_SALT : _SALT + _NONCE], body[_SALT + _NONCE :]
    try:
        return AESGCM(_key(passphrase, salt)).decrypt(nonce, rest, _MARK)
    except (InvalidTag, ValueError):
        raise SettingError("This passphrase does not open the secrets of the backup.") from None


def _key(passphrase: str, salt: bytes) -> bytes:
    words = passphrase.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(words, salt=salt, n=1 << 15, r=8, p=1, maxmem=_MEMORY, dklen=32)
