"""An hour on a thousand hosts with faults: memory, descriptors, politeness, and no silence.

SALTICID_SOAK_MINUTES says how long. The program is the real one, its hosts are at local addresses (`_faulty_hosts`)
and keep an eye on its manners. Every 50 seconds something fails for 15: the name server, or all hosts at once. Memory
is that of the program and its parsers together.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from tests.support.dns_server import NameServer, Refusal, name_server

from benchmarks._faulty_hosts import FaultyHosts
from benchmarks._processes import descriptors, family, resident
from benchmarks.report import figure, say
from salticid.runs.onlooker import NO_NAMES, NOBODY_THERE, SOMEBODY_THERE

MINUTES = float(os.environ.get("SALTICID_SOAK_MINUTES", "60"))
EVERY, LASTS = 50.0, 15.0
"""Seconds from one outage to the next, and how long each is."""
WARMING_UP = 300.0
"""Seconds from the first request until buffers are full and words are known; a third of a shorter run."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What the program held at a time: requests served by then and good pages among them, bytes, open descriptors."""

    seconds: float
    served: int
    good: int
    resident: int
    descriptors: int


@dataclass(frozen=True, slots=True)
class Soaked:
    """A soak that is over."""

    hosts: FaultyHosts
    samples: list[Sample]
    warm: Sample
    status: int
    told: dict[str, Any]
    err: str
    outages: int

    def growth(self, of: str = "served") -> float:
        """Bytes a request, or a good page, since it was warm: the last quarter's mean against the first's."""
        after = [sample for sample in self.samples if sample.seconds >= self.warm.seconds]
        quarter = max(1, len(after) // 4)
        first, last = after[:quarter], after[-quarter:]
        pages = _mean(last, of) - _mean(first, of)
        return (_mean(last, "resident") - _mean(first, "resident")) / max(pages, 1.0)

    @property
    def peak(self) -> int:
        return max(sample.resident for sample in self.samples)

    @property
    def more_descriptors(self) -> int:
        """How many more were open at the end than when it was warm, at the most of a few looks each."""
        after = [sample.descriptors for sample in self.samples if sample.seconds >= self.warm.seconds]
        few = max(1, len(after) // 4)
        return max(after[-few:]) - max(after[:few])


def run() -> None:
    """Soak, and print the figures beside their bounds."""
    soaked = soak(60 * MINUTES, hosts=1000, delay=5.0, fails=True)
    figure(f"requests in {MINUTES:g} minutes", soaked.hosts.served, "")
    figure("good pages among them", soaked.hosts.good, "")
    figure("growth a request, once warm", soaked.growth(), "bytes")
    figure("growth a good page, once warm", soaked.growth("good"), "bytes", target=1000, at_most=True)
    figure("peak memory of the program and its parsers", soaked.peak / 1e6, "MB", target=1000, at_most=True)
    figure("descriptors more than when it was warm", soaked.more_descriptors, "", target=50, at_most=True)
    figure("requests too soon or two at once", len(soaked.hosts.offences), "", target=0.5, at_most=True)
    for host, seconds in soaked.hosts.offences[:10]:
        say(f"    {host}: {seconds:.3f} s too soon")
    figure("longest silence", soaked.hosts.longest_silence, "s", target=60, at_most=True)
    figure("outages", soaked.outages, "")
    figure(
        "fetches of hosts given up",
        soaked.told["outcomes"].get("unreachable", 0),
        "",
        target=0.5,
        at_most=True,
    )
    if soaked.err:
        say(f"  it said: {soaked.err}")


def soak(seconds: float, hosts: int, delay: float, fails: bool = False) -> Soaked:
    """Crawl so many hosts for so long, on a network that fails now and then or does not."""
    with tempfile.TemporaryDirectory() as folder:
        faulty = FaultyHosts(hosts, delay)
        with name_server(lambda name: [faulty.address(name)]) as names:
            return asyncio.run(_soak(Path(folder), seconds, faulty, names, fails))


async def _soak(folder: Path, seconds: float, faulty: FaultyHosts, names: NameServer, fails: bool) -> Soaked:
    outages = Outages(faulty, names, fails)
    async with outages.passing():
        with (folder / "err").open("w+b") as err, (folder / "out.json").open("w+b") as out:
            process = await asyncio.create_subprocess_exec(
                *_command(folder, names, seconds, faulty),
                stdout=out,
                stderr=err,
                env={**os.environ, "COLUMNS": "500"},
            )
            samples = await _watched(process, faulty, seconds)
            err.seek(0)
            out.seek(0)
            said, told = err.read().decode(), json.loads(out.read() or b"{}")
    began = next((sample.seconds for sample in samples if sample.served), 0.0)
    warmed_up = began + min(WARMING_UP, (samples[-1].seconds - began) / 3)
    warm = next(sample for sample in samples if sample.seconds >= warmed_up)
    outage = (NOBODY_THERE.partition("(")[0], NO_NAMES.partition("{")[0], SOMEBODY_THERE)
    expected = ("crawling:", *(outage if fails else ()))
    complaints = "\n".join(line for line in said.splitlines() if not line.startswith(expected))
    return Soaked(faulty, samples, warm, process.returncode or 0, told, complaints, outages.count)


@dataclass(slots=True)
class Outages:
    """The hosts, and the outages that come over them and their name server if they should."""

    faulty: FaultyHosts
    names: NameServer
    fails: bool
    count: int = 0

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        """For as long as the context lasts; the hosts are there at its beginning."""
        there = asyncio.Event()
        task = asyncio.create_task(self._pass(there))
        await there.wait()
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _pass(self, there: asyncio.Event) -> None:
        well = self.names.directory
        while True:
            async with self.faulty.serving():
                there.set()
                for refusal in (Refusal.FAILURE, Refusal.SILENCE):
                    await asyncio.sleep(EVERY - LASTS if self.fails else inf)
                    self.count += 1
                    self.names.directory = partial(_refused, refusal)
                    await asyncio.sleep(LASTS)
                    self.names.directory = well
                await asyncio.sleep(EVERY - LASTS)
            self.count += 1
            await asyncio.sleep(LASTS)


def _refused(refusal: Refusal, name: str) -> Refusal:
    return refusal


def _command(folder: Path, names: NameServer, seconds: float, faulty: FaultyHosts) -> list[str]:
    topic = folder / "topic.toml"
    seeds = [f"http://h{number}.example:{faulty.port}/p0" for number in range(faulty.hosts)]
    topic.write_text(f'name = "soak"\nkeywords = "spiders silk"\nseeds = {seeds}\nlanguage = "en"\n')
    options = {
        "out": folder / "out",
        "delay": faulty.delay,
        "timeout": 5,
        "concurrency": faulty.hosts,
        "per-address": faulty.per_address,
        "max-time": f"{seconds:.0f}s",
        "max-pages": 10_000_000,
        "user-agent": "Soak (+nobody)",
    }
    given = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    given += names.options
    return [sys.executable, "-m", "salticid", "crawl", str(topic), *given, "--no-warc", "--json"]


async def _watched(process: asyncio.subprocess.Process, faulty: FaultyHosts, seconds: float) -> list[Sample]:
    """A sample a second until the process ends; it is killed when it should have long ago."""
    samples: list[Sample] = []
    clock = asyncio.get_running_loop().time
    began = clock()
    while process.returncode is None:
        tree = family(process.pid)
        held = sum(map(resident, tree)), sum(map(descriptors, tree))
        samples.append(Sample(clock() - began, faulty.served, faulty.good, *held))
        if clock() - began > 2 * seconds + 120:
            process.kill()
        try:
            await asyncio.wait_for(process.wait(), min(1.0, seconds / 60))
        except TimeoutError:
            continue
    return samples[:-1] or samples


def _mean(samples: list[Sample], what: str) -> float:
    return float(sum(getattr(sample, what) for sample in samples)) / len(samples)
