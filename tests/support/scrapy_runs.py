"""A real Scrapy project, crawled by Scrapy's own command."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.killing import Program

PROJECT = Path(__file__).parent / "scrapy_project"


@contextmanager
def scrapy(spider: str | Path, port: int, items: Path, **settings: str | int | Path) -> Iterator[Program]:
    """`scrapy crawl` of a spider of the project, or `scrapy runspider` of the one in a file.

    It reaches every host by way of a port of this machine.
    """
    words = [f"{name}={value}" for name, value in {"ITEMS": items, **settings}.items()]
    options = [word for setting in words for word in ("-s", setting)]
    before = {"http_proxy", "no_proxy", "SCRAPY_SETTINGS_MODULE", "PYTHONPATH"}
    environment = {name: value for name, value in os.environ.items() if name.lower() not in before}
    environment |= {"http_proxy": f"http://127.0.0.1:{port}", "PYTHONPATH": str(PROJECT)}
    environment |= {"SCRAPY_SETTINGS_MODULE": "crawlers.settings", "OPENBLAS_NUM_THREADS": "1"}
    command = ["env", *(f"{name}={value}" for name, value in environment.items())]
    verb = "runspider" if isinstance(spider, Path) else "crawl"
    with Program(verb, spider, *options, by=[*command, sys.executable, "-m", "scrapy"]) as program:
        yield program


def crawled(spider: str | Path, port: int, items: Path, **settings: str | int | Path) -> list[dict[str, Any]]:
    """The items of a crawl that is let be to its end, and has nothing to complain about."""
    with scrapy(spider, port, items, **settings) as program:
        assert (program.ends(), program.err) == (0, "")
    return [json.loads(line) for line in items.read_text().splitlines()]
