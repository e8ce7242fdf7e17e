"""The pages for people who look, as the flow offers them to a page in the browser."""

from bot.domain.value import frozen
from bot.ports.card_page import CardPages
from bot.ports.memory_page import MemoryPages
from bot.ports.now_page import MoneyPages, NowPages, RecordReading
from bot.ports.people_page import PeoplePages
from bot.ports.rules_page import RulePages
from bot.ports.search_page import SearchPages
from bot.ports.server_page import ServerPages
from bot.ports.settings_page import SwitchPages
from bot.ports.skill_page import SkillPages
from bot.ports.turn_page import TurnPages
from bot.ports.view_page import ViewPages


@frozen
class ReadingPages:
    turns: TurnPages
    cards: CardPages
    now: NowPages
    money: MoneyPages
    record: RecordReading
    people: PeoplePages
    rules: RulePages
    switches: SwitchPages
    memory: MemoryPages
    skills: SkillPages
    servers: ServerPages
    search: SearchPages
    views: ViewPages
