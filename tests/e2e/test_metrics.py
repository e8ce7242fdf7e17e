"""The port for an operator: the real program, read by the parser of Prometheus."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.adapters.metrics.counts import MOST_MODELS, Counts
from tests.e2e.steward import Steward
from tests.lacking import missing
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.bot_api.faults import Refuse
from tests.standins.messages_api import calls, failure, text, tool

pytestmark = pytest.mark.flows_own("an operator asks beside any platform")

MONITORING = Path(__file__).parents[2] / "monitoring"
SECRET_WORDS = "the plan of the treasure island"
MODEL = "model=anthropic/claude-sonnet-5-5"
COUNTED = {
    "steward_turns_total{stop_reason=final_answer}": 1,
    "steward_rounds_total": 2,
    "steward_tool_calls_total{status=success}": 1,
    f"steward_model_calls_total{{{MODEL},status=ok}}": 2,
    f"steward_model_calls_total{{{MODEL},status=overloaded}}": 1,
    "steward_cards_opened_total": 1,
    "steward_cards_ended_total{how=approved}": 1,
    "steward_card_decision_seconds_count": 1,
    "steward_queue_length{queue=cards}": 0,
    "steward_channel_up{channel=telegram}": 1,
    "steward_database_up": 1,
}


class Operator:
    """A program that asks the port."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}"

    async def get(self, path: str, **query: str) -> httpx.Response:
        async with httpx.AsyncClient(base_url=self._base, trust_env=False) as client:
            return await client.get(path, params=query)

    async def alive(self) -> bool:
        try:
            return (await self.get("/healthz")).text == "alive\n"
        except httpx.TransportError:
            return False

    async def ready(self) -> bool:
        """Whether it is a Prometheus that answers questions."""
        try:
            return (await self.get("/-/ready")).status_code == 200
        except httpx.TransportError:
            return False

    async def results(self, query: str) -> Sequence[Any]:
        return (await self.get("/api/v1/query", query=query)).json()["data"]["result"]

    async def numbers(self) -> Mapping[str, float]:
        """Each number by its name and its labels."""
        told = (await self.get("/metrics")).text
        found: dict[str, float] = {}
        for family in text_string_to_metric_families(told):
            for sample in family.samples:
                labels = ",".join(f"{k}={v}" for k, v in sorted(sample.labels.items()))
                found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
        return found


async def test_an_operator_sees_what_happens_and_nobodys_words(steward: Steward) -> None:
    port = free_port()
    await steward.start(STEWARD_METRICS_LISTEN=port)
    asked = Operator(port)
    async with asyncio.timeout(PATIENCE):
        while not await asked.alive():
            await asyncio.sleep(0.05)
    assert (await asked.get("/")).status_code == 404
    await a_card_is_approved(steward, asked)
    told = await asked.numbers()
    assert {name: told.get(name) for name in COUNTED} == COUNTED, told
    assert told["steward_deliveries_total{state=shown}"] >= 2
    assert told["steward_commits_total"] > 5
    kinds = {name.partition("{")[0] for name, value in told.items() if value > 0}
    assert {"steward_tokens_total", "steward_cost_dollars_total"} <= kinds
    assert (await asked.get("/readyz")).text == "ready\n"
    whole = (await asked.get("/metrics")).text
    assert SECRET_WORDS not in whole
    assert "Ann" not in whole
    judge_monitoring(whole)
    await telegram_is_away(steward, asked)


async def a_card_is_approved(steward: Steward, asked: Operator) -> None:
    steward.foreseen.append("Overloaded")
    steward.script(
        failure(529, "Overloaded"),
        calls(tool("write_file", {"path": "a.txt", "content": SECRET_WORDS})),
        text("Written."),
    )
    steward.say(f"Write down {SECRET_WORDS}")
    card = await steward.card()
    waits = await asked.numbers()
    assert waits["steward_queue_length{queue=cards}"] == 1
    assert waits["steward_queue_oldest_seconds{queue=cards}"] >= 0
    steward.press(card, "✅ Approve")
    await steward.sees("Written.")
    await steward.recorded()


async def telegram_is_away(steward: Steward, asked: Operator) -> None:
    """It is told as long as it lasts."""
    steward.foreseen.append("getUpdates")
    steward.telegram.faults.order("getUpdates", Refuse(502, "Bad Gateway"), times=2)
    steward.say("Ends the poll that waits")
    steward.script(text("Heard."))
    async with asyncio.timeout(PATIENCE):
        while (answer := await asked.get("/readyz")).status_code == 200:
            await asyncio.sleep(0.02)
        assert answer.text == "telegram is not reached\n"
        while (await asked.get("/readyz")).status_code == 503:
            await asyncio.sleep(0.1)
    await steward.sees("Heard.")


def judge_monitoring(whole: str) -> None:
    """Judge that every number of the dashboard and of the alerts exists."""
    named = re.findall(
        r"\b(?:steward|process)_\w+",
        (MONITORING / "grafana.json").read_text() + (MONITORING / "alerts.yml").read_text(),
    )
    known = set(re.findall(r"^(\w+)[ {]", whole, re.MULTILINE))
    assert len(named) > 20
    # A counter with labels stands there once something was counted.
    types = set(re.findall(r"^# TYPE (\w+) ", whole, re.MULTILINE))
    assert [n for n in named if n not in known | types] == []
    panels = json.loads((MONITORING / "grafana.json").read_text())["panels"]
    assert len(panels) == len({panel["title"] for panel in panels}) > 10


async def test_a_prometheus_takes_numbers_alerts_and_the_example(steward: Steward) -> None:
    if shutil.which("prometheus") is None or shutil.which("promtool") is None:
        missing("no Prometheus", "apt-get install prometheus")
    port, own = free_port(), free_port()
    for name in ("alerts.yml", "prometheus.yml"):
        text = (MONITORING / name).read_text().replace(":9464", f":{port}").replace("15s", "1s")
        (steward.folder / name).write_text(text)
    await steward.start(STEWARD_METRICS_LISTEN=port)
    metrics = (await Operator(port).get("/metrics")).content
    await finished("promtool", "check", "metrics", given=metrics)
    await finished("promtool", "check", "config", str(steward.folder / "prometheus.yml"))
    async with prometheus(steward.folder, own) as asked:
        async with asyncio.timeout(PATIENCE):
            while not (found := await asked.results("steward_database_up")):
                await asyncio.sleep(0.1)
        assert found[0]["value"][1] == "1"
        groups = (await asked.get("/api/v1/rules")).json()["data"]["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        assert len(rules) == (MONITORING / "alerts.yml").read_text().count("- alert:")
        assert {rule["state"] for rule in rules} == {"inactive"}


async def finished(*command: str, given: bytes = b"") -> None:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate(given)
    assert process.returncode == 0, told.decode()


@asynccontextmanager
async def prometheus(folder: Path, port: int) -> AsyncIterator[Operator]:
    """A real Prometheus with the files of a folder, and somebody who asks it."""
    with (folder / "prometheus.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *("prometheus", f"--config.file={folder / 'prometheus.yml'}"),
            f"--storage.tsdb.path={folder / 'prometheus'}",
            f"--web.listen-address=127.0.0.1:{port}",
            stdout=log,
            stderr=log,
        )
    asked = Operator(port)
    try:
        async with asyncio.timeout(PATIENCE):
            while not await asked.ready():
                assert process.returncode is None, (folder / "prometheus.log").read_text()
                await asyncio.sleep(0.1)
        yield asked
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def test_names_of_models_are_bounded() -> None:
    counts = Counts()
    for number in range(3 * MOST_MODELS):
        counts.called(f"some/model-{number}", "ok")
    [family] = [one for one in counts.registry.collect() if one.name == "steward_model_calls"]
    names = {sample.labels["model"] for sample in family.samples}
    assert len(names) == MOST_MODELS + 1
    assert "other" in names
