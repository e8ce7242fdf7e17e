"""Runs a command under a filter of system calls in Docker's form: `python FILE COMMAND…`.

What a container's runtime does with that file: everything it does not name gets its error.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

_ALLOW = 0x7FFF0000
_ERROR = 0x00050000
_UNKNOWN = -1


def confine(file: Path) -> None:
    """Allows this process, and all that it starts, the system calls of the file alone."""
    told = json.loads(file.read_text("utf-8"))
    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    assert told["defaultAction"] == "SCMP_ACT_ERRNO"
    context = ctypes.c_void_p(library.seccomp_init(_ERROR | told["defaultErrnoRet"]))
    assert context
    for rule in told["syscalls"]:
        assert rule["action"] == "SCMP_ACT_ALLOW"
        for name in rule["names"]:
            number = library.seccomp_syscall_resolve_name(name.encode())
            # Another machine has it under this name, as the runtime knows, too.
            if number > _UNKNOWN:
                assert library.seccomp_rule_add(context, _ALLOW, number, 0) == 0, name
    assert library.seccomp_load(context) == 0


if __name__ == "__main__":
    confine(Path(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])
