"""Changes of the store as values: each is one transaction, carried out whole or not at all."""

from bot.domain.change.approvals import (
    AddRule,
    AllowServer,
    DropConsent,
    DropRule,
    SaveApproval,
    UseRule,
)
from bot.domain.change.change import Change, Fence, Write
from bot.domain.change.chats import (
    ChooseSkill,
    EndGrants,
    JoinChats,
    MoveChat,
    NameChat,
    NoteOffer,
    OpenConversation,
    SaveConversation,
    SaveSettings,
    SetVoice,
)
from bot.domain.change.errands import SaveErrand
from bot.domain.change.feedback import DropFeedback, SaveFeedback
from bot.domain.change.file_changes import DropFileChange, SaveFileChange
from bot.domain.change.goals import (
    AddDiary,
    AddGoalTurn,
    AdoptTask,
    DropGoal,
    HoldGoalTasks,
    SaveGoal,
)
from bot.domain.change.hooks import AddHookCall, EndTries, SaveHookCall
from bot.domain.change.inbox import AmendInbound, InboundState, MarkInbound, PassOver, ReleaseHeard
from bot.domain.change.log import AddArtifact, AddVerdict, Append, Erase
from bot.domain.change.memory import AddNote, DropNote, DropPassage, KeepPassage, ReadPast
from bot.domain.change.money import AddUsage, DropUsage, SetBudget
from bot.domain.change.outbox import Retract, Show
from bot.domain.change.people import (
    AddAudit,
    CheckAccess,
    JoinPeople,
    LinkAccount,
    Revoke,
    SaveProfile,
    SaveTerms,
)
from bot.domain.change.plans import SavePlan
from bot.domain.change.received import KeepHeard, SaveReceived
from bot.domain.change.sounding import with_one_sound
from bot.domain.change.tasks import AddRun, DropRuns, DropTask, PauseTasks, SaveRun, SaveTask
from bot.domain.change.turns import AskStop, CountStart, EndRest, EndWays, SaveTurn
from bot.domain.change.voice import EndVoice, OweVoice

__all__ = [
    "AddArtifact",
    "AddAudit",
    "AddDiary",
    "AddGoalTurn",
    "AddHookCall",
    "AddNote",
    "AddRule",
    "AddRun",
    "AddUsage",
    "AddVerdict",
    "AdoptTask",
    "AllowServer",
    "AmendInbound",
    "Append",
    "AskStop",
    "Change",
    "CheckAccess",
    "ChooseSkill",
    "CountStart",
    "DropConsent",
    "DropFeedback",
    "DropFileChange",
    "DropGoal",
    "DropNote",
    "DropPassage",
    "DropRule",
    "DropRuns",
    "DropTask",
    "DropUsage",
    "EndGrants",
    "EndRest",
    "EndTries",
    "EndVoice",
    "EndWays",
    "Erase",
    "Fence",
    "HoldGoalTasks",
    "InboundState",
    "JoinChats",
    "JoinPeople",
    "KeepHeard",
    "KeepPassage",
    "LinkAccount",
    "MarkInbound",
    "MoveChat",
    "NameChat",
    "NoteOffer",
    "OpenConversation",
    "OweVoice",
    "PassOver",
    "PauseTasks",
    "ReadPast",
    "ReleaseHeard",
    "Retract",
    "Revoke",
    "SaveApproval",
    "SaveConversation",
    "SaveErrand",
    "SaveFeedback",
    "SaveFileChange",
    "SaveGoal",
    "SaveHookCall",
    "SavePlan",
    "SaveProfile",
    "SaveReceived",
    "SaveRun",
    "SaveSettings",
    "SaveTask",
    "SaveTerms",
    "SaveTurn",
    "SetBudget",
    "SetVoice",
    "Show",
    "UseRule",
    "Write",
    "with_one_sound",
]
