"""The page of the doctor, for owners: what works, what does not, and what helps."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.adapters.web.owners_route import OwnersRoute
from bot.adapters.web.posted import Forms
from bot.adapters.web.shell import Shell
from bot.domain.value import frozen
from bot.ports.doctor_page import Doctor


@frozen
class DoctorRoutes:
    _doctor: Doctor
    _forms: Forms
    _shell: Shell

    def routes(self) -> Sequence[OwnersRoute]:
        return [
            OwnersRoute("/doctor", self.doctor),
            OwnersRoute("/doctor", self.look, methods=["POST"]),
        ]

    async def doctor(self, request: Request) -> Response:
        return await self._shell.page(
            request,
            "doctor.html",
            here="more",
            title="Doctor",
            report=self._doctor.report,
            looking=self._doctor.looking,
        )

    async def look(self, request: Request) -> Response:
        async with self._forms.of(request):
            pass
        await self._doctor.look()
        return RedirectResponse("/doctor", 303)
