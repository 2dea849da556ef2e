"""`salticid world info`: what a recorded world holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from salticid.cli.console import out, print_json


def info(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="The folder of a world.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell what a recorded world holds.

    Example: salticid world info world/
    """
    import numpy as np  # here, as what follows: it takes its time to import

    from salticid.webs.recorded import RecordedWeb
    from salticid.webs.world_arrays import LINK, PAGE, ROW, URL
    from salticid.worlds.labels import labels_of

    web = RecordedWeb(world)
    labels = labels_of(world)
    row_of = web.arrays[URL.row]
    recorded_links = int(np.count_nonzero(row_of[web.arrays[LINK.url]] >= 0))
    facts = {
        "pages": web.pages,
        "links": web.links,
        "links_recorded": recorded_links,
        "urls": len(web.urls),
        "hosts": len(np.unique(web.arrays[URL.host][web.arrays[PAGE.url]])),
        "redirects": int(np.count_nonzero(web.arrays[ROW.target] >= 0)),
        "labels": {label: len(urls) for label, urls in labels.items()},
        "bytes": sum(file.stat().st_size for file in world.iterdir()),
        "built_from": web.arrays.manifest.built_from,
        "left_out": web.arrays.manifest.left_out,
        "digest": web.digest,
    }
    if json:
        print_json(facts)
        return
    for name, value in facts.items():
        text = (
            f"{len(labels)}" if name == "labels" else f"{value:,}" if isinstance(value, int) else str(value)
        )
        out.print(f"{name:>15}  {text}", highlight=False, markup=False, soft_wrap=True)
    for label, urls in labels.items():
        out.print(f"{'':>17}{len(urls):>6}  {label}", highlight=False, markup=False)
