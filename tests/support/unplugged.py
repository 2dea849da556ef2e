"""A crawl on a machine whose network is plugged in only when the program says that it waits for it.

For a network namespace: `unshare --net python -m tests.support.unplugged FOLDER`.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import sys
from pathlib import Path

from tests.support.outages import LOST, Program, serving
from tests.support.running import ANEW

_SET_FLAGS, _UP = 0x8914, 0x1


def plug_in() -> None:
    """Bring up the loopback device."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))


def main(folder: Path) -> None:
    with serving() as site:
        there = ("--seed-url", site.seed, "--allow-net", "127.0.0.0/8", "--resolve", "*=127.0.0.1")
        with Program(folder, *there, by=ANEW) as program:
            program.until_it_says(LOST)
            plug_in()
            print(json.dumps(program.result()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
