"""A crawl as a data set: parquet, and a card that says what is in it and how to do it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import yaml
from markdown_it import MarkdownIt
from tests.support.made_crawl import ESSAY, Made, article
from tests.support.running import salticid

from salticid.store.schema import ABOUT
from salticid.truth import load_topic

NAME = 'Spiders: a "study" |\n---\n# of eyes <b>'
FACTS: dict[str, Any] = {
    "version": "0.1.0",
    "topic": {
        "name": NAME,
        "keywords": "jumping spiders",
        "seeds": ["http://a.example/"],
        "examples": [],
        "negatives": [],
        "language": None,
        "scope": {"include": [], "exclude": ["*.pdf"], "same_site": True, "max_depth": None},
    },
    "strategy": {"name": "best_first", "max_links": 3},
    "judge": {"name": "profile"},
    "web": {"live": {"timeout": 10.0}},
    "limits": {"max_pages": 100, "max_time": None},
    "seed": 7,
}
GERMAN = "Die Springspinne sieht mit acht Augen, zwei davon sind groß und blicken nach vorn."


def test_the_card_tells_what_is_in_it_and_how_to_do_it_again(made: Made, tmp_path: Path) -> None:
    for name, value in FACTS.items():
        made.db.execute(ABOUT.insert, ABOUT.with_checksum((name, json.dumps(value))))
    first = made.add("http://a.example/1", article("One"), raw=article("One"))
    made.add("http://a.example/2", article("Two"), duplicate_of=first)
    made.add("http://b.example/3", article("Drei", GERMAN), raw=article("Drei", GERMAN))
    made.add("http://b.example/shy", "<meta name=robots content=noindex>" + article("shy", f"{ESSAY} No."))
    folder, out = made.commit(), tmp_path / "set"
    said = json.loads(salticid("export", folder, "--to", "dataset", "--out", out, "--min-score", "0.1", "--json").out)
    assert said["pages"] == 2
    assert sorted(str(file.relative_to(out)) for file in out.rglob("*") if file.is_file()) == [
        "README.md",
        "data/pages.parquet",
        "topic.toml",
    ]
    _, front, body = (out / "README.md").read_text().split("---\n", 2)
    about = yaml.safe_load(front)
    assert about["pretty_name"] == 'Spiders: a "study" | --- # of eyes <b>'
    assert (about["language"], about["size_categories"]) == (["de", "en"], ["n<1K"])
    (config,) = about["configs"]
    (files,) = config["data_files"]
    rows = pyarrow.parquet.read_table(out / files["path"]).to_pylist()
    assert sorted(row["title"] for row in rows) == ["Drei", "One"]
    assert rows[0]["markdown"].startswith("# ")
    for fact in (
        "2 pages of 2 hosts about: jumping spiders, fetched from 2026-03-01 to 2026-03-01.",
        '| strategy | `best_first` with `{"max_links": 3}` |',
        "| judge | `profile` |",
        "| `a.example` | 1 |",
        "| `de` | 1 |",
        "| near-duplicate of another page | 1 |",
        "| noindex | 1 |",
        "robots.txt was honoured",
        "Pages that say noindex were left out.",
        "salticid crawl topic.toml --strategy best_first --judge profile --max-pages 100 --seed 7 --out DIR",
        "those with a score of 0.1 or more",
    ):
        assert fact in body, fact
    kinds = {each.type for token in MarkdownIt("commonmark").parse(body) for each in [token, *(token.children or [])]}
    assert not kinds & {"html_block", "html_inline", "hr"}
    topic, _ = load_topic(out / "topic.toml")
    assert (topic.name, topic.seeds, topic.scope.exclude, topic.scope.same_site) == (
        NAME,
        ("http://a.example/",),
        ("*.pdf",),
        True,
    )


def test_a_crawl_of_which_little_is_known_has_a_card_too(made: Made, tmp_path: Path) -> None:
    made.add("http://a.example/1", article("One"))
    out = tmp_path / "set"
    assert salticid("export", made.commit(), "--to", "dataset", "--out", out, "--chunks", "20").status == 0
    assert "# crawl\n" in (out / "README.md").read_text()
    table = pyarrow.parquet.read_table(out / "data" / "pages.parquet")
    assert {"headings", "chunk", "chunks"} < set(table.column_names)
