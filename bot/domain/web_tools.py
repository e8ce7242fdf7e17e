"""The names of the tools that look at the web."""

WEB_FETCH = "web_fetch"
WEB_SEARCH = "web_search"
WEB_TOOLS = frozenset({WEB_FETCH, WEB_SEARCH})
