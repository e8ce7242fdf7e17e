"""A person who goes on through a death of the program as if nothing had happened."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from bot.domain.talk.message import RawUpdate
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart
from bot.ports.outbox import DeliveryState
from tests.fakes.channel import Shown
from tests.fakes.clock import others_go_on
from tests.fakes.model import call, calls, says
from tests.scenarios.dying import Fate
from tests.scenarios.stage import Stage

_STEPS = 20_000

Wish: TypeAlias = Callable[[Shown], str | None]
"""What a person presses on a card as it is: the data of the button, if it has one they want."""


def first_button(card: Shown) -> str | None:
    return card.piece.body["buttons"][0][0]["data"]


def two_answers(request: ModelRequest, _: int) -> ModelReply:
    """Looks, writes and sends a note before the first answer; the second comes at once."""
    newest = request.messages[-1].parts
    results = [p for p in newest if isinstance(p, ResultPart)]
    if "second" in str(newest[-1]):
        return says("Second answer.")
    if len(results) == 2:
        return calls(call("s", "send", {"what": "A note."}))
    if results:
        return says("First answer.")
    return calls(call("r", "look"), call("w", "write", {"what": "x"}))


class Life:
    """A person with their platform: what was not confirmed comes again, cards are pressed."""

    def __init__(self, scene: Stage, fate: Fate, wish: Wish = first_button) -> None:
        self._scene = scene
        self._fate = fate
        self._wish = wish
        self._reborn = False
        self._pressed = set[str]()

    async def accept(self, update: RawUpdate) -> None:
        """Hands an update over until it was taken, over a death if need be."""
        await self.handed(lambda: self._accept(update))

    async def handed(self, over: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Does this until it was done, over a death if need be."""
        taken = asyncio.create_task(over())
        died = asyncio.create_task(self._fate.died.wait())
        await asyncio.wait({taken, died}, return_when=asyncio.FIRST_COMPLETED)
        died.cancel()
        if not taken.done():
            taken.cancel()
            await self._be_reborn()
            await over()

    async def _accept(self, update: RawUpdate) -> None:
        await self._scene.application.parts.intake.accept("fake", (update,))

    async def _be_reborn(self) -> None:
        if self._fate.died.is_set() and not self._reborn:
            self._reborn = True
            await self._scene.crash()

    async def until_shown(self, answer: str) -> None:
        """Goes on until this answer is on the screen, all is settled and nothing owed."""
        await self.until(lambda: answer in self._scene.texts)

    def follow(self, other: "Life") -> None:
        """Goes on where another way of pressing ended: nobody is born twice."""
        self._reborn = other.reborn

    @property
    def reborn(self) -> bool:
        return self._reborn

    async def until(self, over: Callable[[], bool], *, quiet: bool = True) -> None:
        """Presses what there is to press until it is over.

        With `quiet` all must be settled and nothing owed.
        """
        for _ in range(_STEPS):
            if over() and (self._quiet() or not quiet):
                return
            await self._be_reborn()
            update = self._press()
            if update is not None:
                await self.accept(update)
            await others_go_on()
        raise AssertionError(f"it was never over; the screen shows {self._scene.texts}")

    def _press(self) -> RawUpdate | None:
        for card in self._scene.cards:
            data = self._wish(card)
            if data is not None and data not in self._pressed:
                self._pressed.add(data)
                return self._scene.press_update(data, card.id)
        return None

    def _quiet(self) -> bool:
        rows = self._scene.store.rows
        owed = any(r.state is DeliveryState.OWED for r in rows.outbox.values())
        return not owed and all(t.state is TurnState.SETTLED for t in self._scene.turns)
