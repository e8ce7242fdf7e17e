"""Starts the program where no file can grow beyond some bytes, as on a disk that is nearly full."""

import resource

from bot.__main__ import main

_MOST_BYTES = 200_000


if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_BYTES, most))
    main()
