"""The port for an operator: the real program, read by the parser of Prometheus."""

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.adapters.metrics.counts import MOST_MODELS, Counts
from tests.e2e.steward import Steward
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
        self._client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False)

    async def get(self, path: str) -> httpx.Response:
        return await self._client.get(path)

    async def alive(self) -> bool:
        try:
            return (await self.get("/healthz")).text == "alive\n"
        except httpx.TransportError:
            return False

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
    await asyncio.to_thread(judge_by_promtool, whole)
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


def judge_by_promtool(whole: str) -> None:
    """Let Prometheus itself judge the numbers, the alerts and the example."""
    if shutil.which("promtool") is None:
        return
    for arguments, given in (
        (("check", "metrics"), whole),
        (("check", "rules", str(MONITORING / "alerts.yml")), None),
        (("check", "config", str(MONITORING / "prometheus.yml")), None),
    ):
        done = subprocess.run(
            ["promtool", *arguments], input=given, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_names_of_models_are_bounded() -> None:
    counts = Counts()
    for number in range(3 * MOST_MODELS):
        counts.called(f"some/model-{number}", "ok")
    [family] = [one for one in counts.registry.collect() if one.name == "steward_model_calls"]
    names = {sample.labels["model"] for sample in family.samples}
    assert len(names) == MOST_MODELS + 1
    assert "other" in names
