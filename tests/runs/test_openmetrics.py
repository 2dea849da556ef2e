"""The numbers for operators, read by the parser of the official client library."""

from __future__ import annotations

import http.client
import json
import re
from contextlib import closing
from pathlib import Path

from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.samples import Sample
from tests.support.killing import Program, Site, live, served
from tests.support.running import salticid
from tests.support.ui_serving import serving

from salticid.runs.metrics_server import FAMILIES, MEDIA_TYPE, Counts, CrawlFigures, Gauges, openmetrics
from salticid.store.crawl_folder import CrawlFolder

TOPIC = 'name = "t"\nkeywords = "jumping spider"\nseeds = ["http://h0.example/0"]\n'
RESTARTS = "salticid_parser_restarts_total", ""
DOCS = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"
EATS_MEMORY = "".join(f"<p><b id={n}><!--</b>-->" for n in range(4_000))
"""More than a page may cost: the process that reads it dies."""


class DeadlySite(Site):
    """Its second page kills whoever parses it."""

    def html(self, number: int) -> str:
        return EATS_MEMORY if number == 1 else super().html(number)


def told(port: int, path: str = "/metrics", host: str | None = None) -> tuple[int, str, str]:
    """Status, kind and text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read().decode()
    finally:
        connection.close()


def parsed(text: str) -> list[Metric]:
    return list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]


def samples(text: str) -> dict[tuple[str, str], float]:
    """Values by the name of the sample and its outcome, if it has one; the text is as the standard wants it."""
    families = parsed(text)
    assert [family.name for family in families] == list(FAMILIES)
    every: list[Sample] = [sample for family in families for sample in family.samples]
    return {(sample.name, sample.labels.get("outcome", "")): sample.value for sample in every}


def test_a_crawl_tells_its_numbers_at_a_port_also_when_it_goes_on(tmp_path: Path) -> None:
    (tmp_path / "topic.toml").write_text(TOPIC)
    site, out = DeadlySite(400, seconds=0.02), tmp_path / 'a "crawl"'
    order = ("crawl", tmp_path / "topic.toml", "--out", out, "--max-pages", 300, "--metrics-port", 0)
    values: dict[tuple[str, str], float] = {}

    def asked(at: int) -> bool:
        try:
            status, kind, text = told(at)
        except ConnectionError:  # it is not ready
            return False
        assert (status, kind) == (200, MEDIA_TYPE)
        values.update(samples(text))
        return True

    def in_the_log() -> int:
        with closing(CrawlFolder(out)) as crawl:
            return crawl.outcomes().get("ok", 0)

    def far_enough() -> bool:
        return asked(at) and values["salticid_pages_total", ""] >= 50 and values[RESTARTS] > 0 and in_the_log() > 0

    with served(site) as port:
        with Program(*order, *live(port)) as program:
            at = port_of(program)
            assert program.until(far_enough, "50 pages, some of them for good, and a dead parser")
            assert [told(at, "/")[0], told(at, host="evil.example")[0]] == [404, 421]
            program.kill()
        assert values["salticid_running", ""] == 1
        assert values["salticid_fetches_total", "ok"] == values["salticid_pages_total", ""]
        assert values["salticid_fetches_total", "unparsable"] == 1
        assert values["salticid_received_bytes_total", ""] > 50 * len(site.html(2))
        assert 0 <= values["salticid_harvest_ratio", ""] <= 1
        assert values["salticid_frontier_links", ""] > 0
        assert values["salticid_log_lag_seconds", ""] >= 0
        before = in_the_log()
        values.clear()
        with Program(*order, *live(port)) as program:
            at = port_of(program)
            assert program.until(lambda: asked(at), "its first answer")
            program.kill()
        assert values["salticid_pages_total", ""] == values["salticid_fetches_total", "ok"] >= before > 0


def port_of(program: Program) -> int:
    program.until_said("/metrics.")
    return int(re.findall(r"127\.0\.0\.1:(\d+)/metrics", program.err)[0])


def test_a_port_that_cannot_be_had_is_named(tmp_path: Path) -> None:
    (tmp_path / "topic.toml").write_text(TOPIC)
    with served(Site(1)) as taken:
        said = salticid("crawl", tmp_path / "topic.toml", "--out", tmp_path / "out", "--metrics-port", taken)
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert f"port {taken} is in use; give another as --metrics-port" in said.err
    assert not (tmp_path / "out").exists()


def test_the_server_tells_the_numbers_of_all_its_crawls_to_who_knows_the_token(tmp_path: Path) -> None:
    site = Site(60, seconds=0.2)
    with served(site) as port:
        reaching = ("--resolve", f"*=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8", "--delay", 0)
        with serving(tmp_path, *reaching) as (_, client):
            order = {
                "query": "jumping spider",
                "urls": [site.url(0)],
                "strategy": "best_first",
                "max_pages": 50,
            }
            name = client.post("/api/crawls", order)["id"]
            client.until(name, lambda summary: summary["state"] == "running" and summary["pages"] > 0)
            assert client.ask("GET", "/metrics", known=False).status == 401
            answer = client.ask("GET", "/metrics", fields={"X-Salticid-Token": ""})  # the bearer alone
            assert (answer.status, answer.fields["content-type"]) == (200, MEDIA_TYPE)
            values = samples(answer.body.decode())
            assert values["salticid_running", ""] == 1
            assert ("salticid_frontier_links", "") in values
            assert f'crawl="{name}"' in answer.body.decode()
            site.seconds = 0.0
            client.until(name, lambda summary: summary["state"] == "ended")
            values = samples(client.ask("GET", "/metrics").body.decode())
            assert (values["salticid_running", ""], values["salticid_pages_total", ""]) == (0, 50)
            assert ("salticid_frontier_links", "") not in values


def test_names_are_those_of_the_docs_and_labels_are_escaped() -> None:
    documented = re.findall(r"^\| `(salticid_\w+)`", DOCS.read_text(), re.MULTILINE)
    written = [name + "_total" * (family.kind == "counter") for name, family in FAMILIES.items()]
    assert documented == written
    counts, gauges = Counts(1, {"ok": 1}, 7, 0.5), Gauges(0, 1, 2, 3, 4, 5, 0.25)
    name = 'a "b"\\\n'
    text = openmetrics([CrawlFigures(name, True, counts, gauges), CrawlFigures("c", False, counts, None)])
    (running, *_, lag) = parsed(text)
    assert [sample.labels["crawl"] for sample in running.samples] == [name, "c"]
    assert [sample.value for sample in lag.samples] == [0.25]
    assert json.dumps(name)[1:-1] in text
