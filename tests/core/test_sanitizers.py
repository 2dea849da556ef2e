"""The compiled loops under sanitizers, with arbitrary contents of a page's arrays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

NATIVE = Path(__file__).parents[2] / "src" / "salticid" / "native"
_DRIVE = """
import numpy as np, sys
from pathlib import Path
from salticid import native
native.FILE = "kernels.bin"
lib, at, nothing, _ = native._load(Path(sys.argv[1]))
dice = np.random.default_rng(1)
edges = np.array([-2**31, -1, 0, 1, 5, 2**31 - 1], np.int32)
def ints(n): return np.where(dice.random(n) < 0.3, dice.choice(edges, n), dice.integers(-3, 40, n)).astype(np.int32)
for round in range(300):
    n, k = (0, 1, 2, 30)[round % 4], int(dice.integers(0, 12))
    tokens, start, end, url = ints(n), ints(k), ints(k), ints(k)
    area, flags, marks = dice.integers(0, 9, k).astype(np.uint8), np.zeros(k, np.uint8), np.empty(n, np.uint8)
    lib.heading_marks(at(start), at(area), k, 2, at(marks), n)
    lib.list_marks(at(start), at(end), k, 3, 4, at(marks), n)
    lib.fresh_links(at(url), at(flags), k, at(np.zeros(20, np.uint8)), 20, 1, at(np.empty(k, np.int32)))
    lib.words_without_marks(at(tokens), n, at(np.zeros(20, np.uint8)), 20, at(np.empty(n, np.int32)))
    lib.words_without_stem(at(tokens), n, nothing, at(ints(20)), 20, at(np.empty(n, np.int32)))
    lib.look_up(at(ints(20)), 20, at(tokens), n, at(np.empty(n, np.int32)))
    lib.distinct_sum(at(tokens), n, at(url), k, at(np.zeros(20, np.uint8)), 20)
    lib.count_alike(at(tokens), n, at(ints(20)), 20, at(np.zeros(9, np.int32)), 9, at(np.empty(n + 1, np.int32)),
                    at(url), at(np.ones(k, np.int64)), k, at(np.empty(2, np.int64)))
    lib.rare_weights(at(tokens), at(tokens.astype(np.int64)), n, at(np.ones(9)), 9, at(np.ones(20)), nothing, 20,
                     at(url), k, 0.5, 1.0, at(np.empty(n)))
    lib.exact_product(at(tokens), at(np.ones(n)), n, at(np.ones(20)), 20)
    lib.link_words(at(tokens), n, at(start), at(end), k, at(np.ones((20, 2))), 20, at(np.array([0, 9], np.int32)), 2,
                   at(np.empty(3 * n + 3)), at(np.empty((k, 8), np.float32)))
    ends, ones, marks20 = np.array([0, n // 2, n], np.int64), np.ones(n), dice.integers(0, 2, 20).astype(np.uint8)
    lib.exact_products(at(tokens), at(ones), at(ends), 3, at(np.ones(20)), 20, at(np.empty(3)))
    lib.add_weights(at(np.ones(20)), 20, at(tokens), at(ones), at(ends), 3, at(np.ones(3)))
    lib.chosen_rows(at(tokens), n, 8, at(np.arange(20, dtype=np.uint32)), at(marks20), 20, at(np.ones(4, np.uint32)),
                    4, 2, at(np.empty(n + 1, np.int32)), at(np.empty(n + 1, np.uint32)))
    lib.own_words(at(tokens), n, at(start), at(area), k, 2, at(start), at(end), k, 3, 4,
                  at(dice.integers(0, n + 1, k).astype(np.int32)), at(np.ones(k, np.uint8)), k, 4, at(marks20),
                  at(marks20), 20, at(np.array([5, 0], np.int32)), at(marks))
    lib.word_counts(at(tokens % 20), n, nothing, nothing, 3, at(ints(20) % 12 - 1), 20,
                    at(np.array([1, 2, 8, 3, 4, 7], np.int32)), 2, at(np.zeros(9, np.int32)), 9,
                    at(np.empty(n + 3, np.int32)), at(np.empty(n + 3, np.int64)))
    lib.link_places(at(tokens), n, at(start), at(end), k, at(marks), at(url.clip(0, 19)), at(ints(20)), 1, 4,
                    at(np.empty(4 * k, np.int32)), at(np.empty((k, 8), np.float32)))
print("survived")
"""


def test_loops_survive_arbitrary_contents(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("program absent: cc")
    shutil.copy(NATIVE / "kernels.h", tmp_path)
    sums = f"-DDECLARATIONS={crc32((NATIVE / 'kernels.h').read_bytes())}u"
    flags = [
        "-std=c99",
        "-g",
        "-O1",
        "-shared",
        "-fPIC",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
    ]
    built = [
        compiler,
        *flags,
        sums,
        "-o",
        str(tmp_path / "kernels.bin"),
        *map(str, sorted(NATIVE.glob("*.c"))),
        "-lm",
    ]
    if subprocess.run(built, capture_output=True, check=False).returncode:
        pytest.skip("program absent: the sanitizers of cc")
    asan = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    done = subprocess.run(
        [sys.executable, "-c", _DRIVE, str(tmp_path)],
        env={**os.environ, "LD_PRELOAD": asan.stdout.strip(), "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "survived\n", done.stderr[-3000:]
