"""The tools of the house, in the order in which models see them, each told in one entry.

A call in the log is told to people by its name and arguments alone, even where its tool is not set
up any more. So these words stand here, and no tool of the house is built without its entry.
"""

from collections.abc import Mapping

from bot.domain.money.provider import ANTHROPIC, OPENAI, OWN_SEARCHES
from bot.domain.tools.deed_words import (
    Deed,
    about,
    always,
    by_name,
    listing,
    of_file,
    reading_skill,
    running,
    saying,
    using_skill,
)
from bot.domain.value import frozen

SUBMIT_PLAN = "submit_plan"
"""The tool that ends the collecting: always offered, and refused where no plan is collected."""

END_CONVERSATION = "end_conversation"

WEB_FETCH = "web_fetch"
WEB_SEARCH = "web_search"
SEARCH_ASKERS = {"search_with_claude": ANTHROPIC, "search_with_openai": OPENAI}
"""The tools that ask an owner to switch on the search of a provider, which each names."""

WEB_TOOLS = frozenset({WEB_FETCH, WEB_SEARCH})


@frozen
class HouseTool:
    """The words of a tool that no server lends."""

    name: str
    """The name that a model calls it by."""
    deed: Deed
    """Tells in one line what a call does."""
    many: str = ""
    """Different calls in a row, with their number: “Read {} files”."""
    in_chat: bool = False
    """True when its work stands in the chat itself, so that no line tells of it as well."""
    whole: bool = False
    """True when the line says all that a person wants to know of a call."""
    inward: bool = False
    """True when it asks nobody although it does more than read: it stays within this chat."""
    spares: bool = False
    """True when it asks nobody where nothing would change, as it then writes nothing."""
    elsewhere: tuple[str, ...] = ()
    """Its names in other programs, in small letters."""


_TOOLS = (
    HouseTool("current_time", always("Look at the clock")),
    HouseTool("list_files", listing, "List {} folders", whole=True, elsewhere=("glob", "ls")),
    HouseTool(
        "read_file",
        of_file("Read"),
        "Read {} files",
        whole=True,
        elsewhere=("read", "notebookread"),
    ),
    HouseTool(
        "search_files",
        about("Search for", "query"),
        "Search for {} things",
        whole=True,
        elsewhere=("grep",),
    ),
    HouseTool("write_file", of_file("Write"), "Write {} files", spares=True, elsewhere=("write",)),
    HouseTool(
        "edit_file",
        of_file("Edit"),
        "Edit {} files",
        elsewhere=("edit", "multiedit", "notebookedit"),
    ),
    HouseTool("delete_file", of_file("Delete"), "Delete {} files", whole=True),
    HouseTool("run_command", running, "Run {} commands", elsewhere=("bash", "shell")),
    HouseTool("send_file", of_file("Send"), "Send {} files", in_chat=True, whole=True, inward=True),
    HouseTool(
        "send_message",
        saying,
        "Say {} things",
        in_chat=True,
        inward=True,
        elsewhere=("askuserquestion",),
    ),
    HouseTool("get_conversation", always("Look at earlier conversations")),
    HouseTool("end_conversation", always("End the conversation"), inward=True),
    HouseTool(SUBMIT_PLAN, always("Show the plan"), in_chat=True, inward=True),
    HouseTool(WEB_FETCH, about("Read the page", "url"), "Read {} pages", elsewhere=("webfetch",)),
    HouseTool(
        WEB_SEARCH,
        about("Search the web for", "query"),
        "Search the web for {} things",
        elsewhere=("websearch",),
    ),
    *(
        HouseTool(name, always(f"Search the web with {OWN_SEARCHES[provider]}"), in_chat=True)
        for name, provider in SEARCH_ASKERS.items()
    ),
    HouseTool("find_skills", about("Look for a skill for", "query"), "Look for {} skills"),
    HouseTool("use_skill", using_skill, inward=True, elsewhere=("skill",)),
    HouseTool("read_skill_file", reading_skill, "Read {} files of skills"),
    HouseTool("remember", about("Remember", "note"), in_chat=True),
    HouseTool("recall", about("Look in the memory for", "query")),
    HouseTool("forget", always("Delete a note")),
    HouseTool("schedule_task", about("Schedule", "when")),
    HouseTool("list_tasks", always("Look at the tasks")),
    HouseTool("update_task", about("Change the task", "task")),
    HouseTool("cancel_task", about("Delete the task", "task")),
    HouseTool("nothing_to_report", always("Report nothing"), inward=True),
    HouseTool("goal_update", by_name("goal_update"), inward=True),
    HouseTool("diary_write", by_name("diary_write"), inward=True),
    HouseTool(
        "delegate", about("Helper", "task"), "{} helpers", in_chat=True, elsewhere=("task", "agent")
    ),
    HouseTool("find_tools", about("Look for tools for", "words")),
    HouseTool("use_tool", about("Use the tool", "name")),
)

HOUSE: Mapping[str, HouseTool] = {tool.name: tool for tool in _TOOLS}
"""The tools by their names."""

_PLACES = {name: place for place, name in enumerate(HOUSE)}


def place_of(name: str) -> int:
    """Returns the place of a tool in the order in which models see them; unknown ones come last."""
    return _PLACES.get(name, len(HOUSE))
