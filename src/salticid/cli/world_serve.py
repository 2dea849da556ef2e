"""`salticid world serve`: a recorded world over real HTTP."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salticid.cli.console import out, print_json, safe

if TYPE_CHECKING:
    from salticid.webs.recorded import RecordedWeb


def serve_world(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="The folder of a world.")],
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where to listen; 0: any free port.")] = 8000,
    gzip: Annotated[bool, typer.Option("--gzip", help="Compress pages for clients that take it.")] = False,
    warm: Annotated[bool, typer.Option("--warm", help="Render pages ahead, up to 256 MB of them.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the address as one JSON object.")] = False,
) -> None:
    """Serve a recorded world over HTTP on this machine, every host by its Host header, until Ctrl-C.

    Example: salticid world serve world/ --port 8000
    """
    import asyncio  # here, as what follows: it takes its time to import

    from salticid.webs.recorded import RecordedWeb

    asyncio.run(_serve(RecordedWeb(world), port, gzip, warm, json))


async def _serve(web: RecordedWeb, port: int, gzip: bool, warm: bool, json: bool) -> None:
    import asyncio

    import numpy as np

    from salticid.webs.served import ADDRESS, serve
    from salticid.webs.world_arrays import PAGE, URL

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    server = await serve(web, port, gzip)
    try:
        if warm:
            await server.warm()
        address = f"http://{ADDRESS}:{server.port}/"
        if json:
            hosts = len(np.unique(web.arrays[URL.host][web.arrays[PAGE.url]]))
            print_json({"address": address, "port": server.port, "pages": web.pages, "hosts": hosts})
            sys.stdout.flush()
        else:
            sentence = f"Serving {web.folder} on {address} (every host by its Host header; Ctrl-C stops)"
            out.print(safe(sentence), highlight=False, soft_wrap=True)
        await stop.wait()
    finally:
        await server.close()
