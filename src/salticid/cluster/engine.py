"""Ray, started or joined."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray

from salticid.errors import UserError

LOCAL = "local"


@contextmanager
def engine(address: str, cpus: int | None = None) -> Iterator[int]:
    """A connection to the cluster at an address, or to one of this machine; how many processors it has.

    One that is there already, in this program, is used and left as it is. UserError if nobody answers.
    """
    ours = not ray.is_initialized()
    if ours:
        _join(address, cpus)
    try:
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        yield max(1, int(resources.get("CPU", 1)))
    finally:
        if ours:
            ray.shutdown()


def _join(address: str, cpus: int | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address == LOCAL:
            ray.init(address="local", num_cpus=cpus, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UserError(
            f"no Ray cluster at {address!r} ({reason}); start one with 'ray start --head' and give its address, "
            "or write --ray local"
        ) from None
