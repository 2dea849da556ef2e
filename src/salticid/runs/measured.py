"""What the strategies were measured to be worth, for those who have to choose one. docs/hunter.md tells how."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Worth:
    """Oracle shares in % after 300 pages, over 16 subjects that no prior saw, judge `profile` for all.

    `near`: from five pages of the subject (task examples); `far`: from pages two links away (task neighbours).
    """

    near: float
    far: float


WORTH = {
    "hunter": Worth(64.3, 62.8),
    "adaptive_n": Worth(46.3, 36.2),
    "best_first": Worth(46.2, 36.3),
    "best_n_first": Worth(43.9, 9.7),
    "neighbourhood": Worth(43.6, 22.6),
    "linear_rank": Worth(43.4, 32.8),
    "context_graph": Worth(41.7, 30.0),
    "transition": Worth(40.3, 34.9),
    "fish_search": Worth(36.7, 15.6),
    "anchor": Worth(36.0, 21.4),
    "url_keyword": Worth(35.0, 7.2),
    "host_bandit": Worth(34.3, 27.7),
    "opic": Worth(33.9, 5.0),
    "shark_search": Worth(33.8, 18.9),
    "breadth_first": Worth(31.4, 4.4),
    "random_walk": Worth(25.6, 4.8),
    "pagerank": Worth(22.9, 5.3),
    "myspiders": Worth(13.9, 12.5),
    "infospiders": Worth(10.7, 4.7),
}
"""By strategy, the best from near first. Those of other packages were not measured."""
