"""The words about taking back, for people and for the model."""

from collections.abc import Sequence

from bot.domain.talk.message import Block, Plain
from bot.domain.text.names import quoted_name
from bot.domain.text.visible_text import clipped, one_line
from bot.domain.tools.deed_words import file_name
from bot.domain.tools.file_change import ABSENT, FileChange
from bot.domain.turn.transcript import NoteBody

NOTHING = "There is nothing in this conversation that I could take back."
ANSWER_ANEW, ANSWERING_ANEW = "🔁 Answer anew", "🔁 Answering anew"
EDITED = "You changed your last message. I have answered it as it was."
EDITED_PLANNED = (
    f"{EDITED} A plan is open here: decide on its card first, or end it with /plan cancel. Then "
    "change your message once more, and I answer it anew."
)
_NOTHING_DONE = "Nothing was done. Send the new words as a new message."
EDITED_EARLIER = (
    f"You changed an earlier message. I answer anew only your newest one. {_NOTHING_DONE}"
)
EDITED_TOGETHER = (
    "You changed one of several messages that I answered together, and I cannot answer that one "
    f"anew. {_NOTHING_DONE}"
)
EDITED_FILE = (
    "You changed a message that is not text alone, and I cannot answer such a message anew. "
    f"{_NOTHING_DONE}"
)
EDITED_COMMAND = (
    "You changed a message into a command. Only a new message can be a command. Nothing was done. "
    "Send the command as a new message."
)
ANEW_PLANNED = (
    "A plan is open here. Decide on its card first, or end it with /plan cancel. Then press this "
    "again."
)
NOTHING_ANEW = "There is no message here that I could answer anew."
RETRY_BUSY = "Your last message is not done yet. /stop ends it; then /retry answers anew."
RETRY_PLANNED = "A plan is open here. Decide on its card first, or end it with /plan cancel."
NOT_YOURS_ANEW = "Only the one who asked, or an owner, can have that answered anew."
NO_CHANGES = "I have changed no file that could be put back."
BUSY = "Your last message is not done yet. /stop ends it; then /undo takes it back."
PLANNED = (
    "A plan is open here. End it first with /plan cancel; then /undo takes the last message back."
)
NOT_YOURS = "Only the one who asked, or an owner, can take that back."
NOT_APPROVER = "Only an owner can change this file back."
AT_IT = "I am at it already."
LATER = "I do that as soon as I am done with this."
DONE_ALREADY = "That is done already."
GONE = "The old content is no longer kept, so this cannot be undone."
KEPT = "Kept as it is."
ANYWAY, KEEP = "Put back anyway", "Keep"
UNDONE, CHANGE_UNDONE = "↩ Undone", "↩ The change is undone"
GONE_ON = "The conversation has gone on meanwhile, so I took nothing back. /undo does it now."
PUTTING_BACK = "Taking back what I changed in files."
UNSUMMED = "↩ The summary is taken back. I have the whole conversation before me again."
OUT_OF_VIEW = "I go on as if that had not been said. I still keep it; /forget can erase it."

_REMOVED = "removed: I had created it"
_LONGEST_WISH = 60
_MOST_NAMED = 5
_MOST_NOTED = 20


def named(change: FileChange) -> str:
    return file_name(change.path)


def done_line(change: FileChange) -> str:
    """Returns what became of a file, once its change was taken back or done again."""
    name, gone, new = named(change), change.now == ABSENT, change.target == ABSENT
    if change.undone:
        return f"↩ {name} is {_REMOVED if gone else 'back' if new else 'as it was before'}"
    return f"↪ {name} is {'deleted again' if gone else 'there again' if new else 'changed again'}"


def failed_line(change: FileChange, why: str) -> str:
    """Returns why a file could not be put back; most reasons begin with its path."""
    told = one_line(" ".join(why.split()), 300)
    path = f"{change.path}: "
    return f"✗ {named(change)}: {told.removeprefix(path)}"


def met_title(change: FileChange) -> str:
    return f"⚠️ {named(change)} has changed since"


def met_end(change: FileChange) -> str:
    how = "do the change again" if change.undone else "undo the change"
    return f"Nothing was done yet. This is what it would become if you {how} now."


def taken_out(wish: str, files: Sequence[FileChange], left: Sequence[str]) -> tuple[Block, ...]:
    """Returns the message about a turn that was taken back, and what it has done."""
    words = one_line(" ".join(wish.split()), _LONGEST_WISH)
    what = f"“{words}” and my answer" if words else "what I did last"
    lines = [f"↩ Taken back: {what}. {OUT_OF_VIEW}"]
    if files:
        paths = list(dict.fromkeys(named(one) for one in files))
        lines.append(f"These files stay as I changed them: {listed(paths)}.")
    if left:
        lines.append(f"These cannot be undone: {listed([clipped(one, 80) for one in left])}.")
    return tuple(Plain(line, style="line") for line in lines)


def left_note(files: Sequence[FileChange], left: Sequence[str]) -> NoteBody:
    """Tells the model what still stands of a turn that it does not see any more."""
    told = ["[Steward] The person took a turn back: it is out of view. What it did still stands."]
    if files:
        told.append(f"Changed files: {_quoted(files)}.")
    if left:
        told.append(f"Calls that cannot be undone: {len(left)}.")
    return NoteBody("undo", " ".join(told))


def files_note(files: Sequence[FileChange]) -> NoteBody:
    """Tells the model which files are not as it left them."""
    back = [one for one in files if one.undone]
    again = [one for one in files if not one.undone]
    told = ["[Steward]"]
    if back:
        told.append(f"The person undid changes; as before are: {_quoted(back)}.")
    if again:
        told.append(f"The person did undone changes again: {_quoted(again)}.")
    return NoteBody("undo", " ".join(told))


def _quoted(files: Sequence[FileChange]) -> str:
    paths = list(dict.fromkeys(quoted_name(one.path) for one in files))
    more = len(paths) - _MOST_NOTED
    return ", ".join(paths[:_MOST_NOTED]) + (f" and {more} more" if more > 0 else "")


def listed(words: Sequence[str]) -> str:
    """Returns the first few of these as a list in a sentence."""
    more = len(words) - _MOST_NAMED
    if more > 0:
        return f"{', '.join(words[:_MOST_NAMED])} and {more} more"
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
