"""The Telegram channel: raw updates in, messages, drafts and cards out."""

import sys
from types import ModuleType
from typing import cast

# The HTTP library loads its own command line, and with it 6 MB for coloured text, wherever that is
# installed. Nothing here needs it: without it the library offers a stand-in of a few lines.
sys.modules.setdefault("httpx._main", cast(ModuleType, None))
