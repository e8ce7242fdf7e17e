"""The names of tools that rules, skills and prompts speak of."""

SUBMIT_PLAN = "submit_plan"
"""The tool that ends the collecting: always offered, and refused where no plan is collected."""

WEB_FETCH = "web_fetch"
WEB_SEARCH = "web_search"
WEB_TOOLS = frozenset({WEB_FETCH, WEB_SEARCH})
