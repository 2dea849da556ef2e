"""The context paths of labelled links, as word ids and as traits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from salticid.model import Ints
from salticid.parse.context_path import ContextPath
from salticid.text.tokens import letter_runs
from salticid.webs.recorded import RecordedWeb
from salticid.worlds.context_path_file import context_paths_of

_NONE = ContextPath("", (), ())


class LinkPaths:
    """The path of each of some links, which are number `place[i]` of page `source[i]`.

    A page's links and its paths were found apart, so that they are matched by the URLs they lead to: of several links
    to one page the last has the last path. The title of a page is the highest of its headings.
    """

    def __init__(self, web: RecordedWeb, world: Path, source: Ints, place: Ints) -> None:
        self._web, self._source = web, source
        pages = set(source.tolist())
        by_page = {
            number: _by_place(web.urls.spell(web.page(number).links.url.tolist()), noted.links)
            for noted in context_paths_of(world)
            if (url := web.urls.find(noted.page)) >= 0 and (number := web.number_at(url)) in pages
        }
        rows = zip(source.tolist(), place.tolist(), strict=True)
        self._paths = [by_page.get(number, {}).get(at, _NONE) for number, at in rows]

    def words(self, link: int) -> Ints:
        """The word ids of title, headings and items, those of the world that is."""
        path = self._paths[link]
        texts = (self._web.page(int(self._source[link])).title, *path.headings, *path.items)
        ids = [self._web.words.find(word) for text in texts for word in letter_runs(text)]
        return np.array([word for word in ids if word >= 0], np.int32)

    def traits(self, link: int) -> Iterator[str]:
        """What can be read off the path, beside the title: its words, those of the nearest heading, how deep it is."""
        path = self._paths[link]
        yield from (f"heading {word}" for text in path.headings for word in letter_runs(text))
        yield from (f"nearest heading {word}" for text in path.headings[-1:] for word in letter_runs(text))
        yield from (f"item {word}" for text in path.items for word in letter_runs(text))
        yield f"below {len(path.headings)} headings"
        yield f"in {len(path.items)} items"


def _by_place(links: Sequence[str], paths: Sequence[ContextPath]) -> Mapping[int, ContextPath]:
    """The paths of a page's links by their places.

    >>> low, high = ContextPath("b", ("low",), ()), ContextPath("b", ("high",), ())
    >>> _by_place(["b", "a", "b"], [low]), [path.headings for path in _by_place(["b", "b"], [high, low]).values()]
    ({2: ContextPath(url='b', headings=('low',), items=())}, [('low',), ('high',)])
    """
    left: dict[str, list[ContextPath]] = {}
    for path in paths:
        left.setdefault(path.url, []).append(path)
    places = reversed(range(len(links)))
    return {at: left[links[at]].pop() for at in places if left.get(links[at])}
