"""Ray, started or joined."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from salticid.errors import SalticidError, UserError

LOCAL = "local"
_PATIENCE = 5.0
"""Seconds in which a cluster has to answer."""


@contextmanager
def engine(address: str, cpus: int | None = None) -> Iterator[int]:
    """A connection to the cluster at an address, or to one of this machine; how many processors it has.

    One that is there already, in this program, is used and left as it is. UserError if there is none. What went
    wrong on a node is raised as it was raised there. Meanwhile what is printed goes to stderr, for Ray has much to
    say, and stdout is for results.
    """
    ours = not ray.is_initialized()
    if ours:
        _join(address, cpus)
    try:
        with redirect_stdout(sys.stderr):
            yield _processors()
    except RayError as error:
        raise plain(error) from error
    finally:
        if ours:
            ray.shutdown()


def _processors() -> int:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(resources.get("CPU", 1)))


def _join(address: str, cpus: int | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address == LOCAL:
            ray.init(address="local", num_cpus=cpus, include_dashboard=False, **quiet)
        else:
            _knock(address)
            ray.init(address=address, **quiet)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UserError(
            f"no Ray cluster at {address!r} ({reason}); start one with 'ray start --head' and give its address, "
            "or write --ray local"
        ) from None


def _knock(address: str) -> None:
    """OSError at once where no server listens: Ray itself would wait for minutes. Other forms are left to it."""
    host, _, port = address.rpartition(":")
    if port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), _PATIENCE).close()


def plain(error: RayError) -> SalticidError:
    """The error that a person sees for something that went wrong on a node."""
    cause: object = error
    while isinstance(cause, RayTaskError):
        cause = cause.cause
    if isinstance(cause, SalticidError):
        return cause
    line = next(iter(str(cause).strip().splitlines()), "")
    return SalticidError(f"a node of the cluster failed: {type(cause).__name__}: {line}")
