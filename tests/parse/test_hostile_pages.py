"""Pages whose numbers lead outside their tables or themselves: damage, before a compiled loop sees them."""

from typing import Any

import numpy as np
import pytest
import zstandard

from salticid.model import Ints, Links, Page
from salticid.store.packing import Damaged, pack_page, unpack_page


def _ints(*numbers: int) -> Ints:
    return np.array(numbers, np.int32)


def _unpacked(**changes: Any) -> Page:
    """A page of two words and one link, packed and unpacked for tables of two URLs and two words."""
    of = {"tokens": 1, "url": 1, "start": 0, "end": 1, "area_start": 0, "at": 0, "canonical": -1, **changes}
    links = Links(_ints(of["url"]), _ints(of["start"]), _ints(of["end"]), np.zeros(1, np.bool_))
    page = Page(
        of["at"], "t", _ints(0, of["tokens"]), _ints(of["area_start"]), np.array([2], np.uint8), links, b"",
        canonical=of["canonical"],
    )  # fmt: skip
    row = pack_page(page, zstandard.ZstdCompressor())
    return unpack_page((*row[:7], 0, *row[7:]), (2, 2))


@pytest.mark.parametrize("number", [-5_000_000, -64, 3, 2**31 - 1])
@pytest.mark.parametrize("name", ["tokens", "url", "start", "end", "area_start", "at", "canonical"])
def test_a_page_with_a_number_out_of_range_is_damaged(name: str, number: int) -> None:
    assert len(_unpacked().links) == 1
    with pytest.raises(Damaged, match="a page has an id or a place out of range"):
        _unpacked(**{name: number})
