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
    "hunter": Worth(65.2, 63.7),
    "adaptive_n": Worth(46.0, 35.5),
    "best_first": Worth(46.0, 35.5),
    "context": Worth(46.0, 35.5),
    "best_n_first": Worth(43.8, 9.7),
    "linear_rank": Worth(43.5, 31.4),
    "neighbourhood": Worth(43.3, 22.7),
    "context_graph": Worth(41.7, 30.0),
    "transition": Worth(40.6, 34.2),
    "fish_search": Worth(36.7, 15.8),
    "anchor": Worth(36.3, 21.3),
    "url_keyword": Worth(35.0, 7.2),
    "host_bandit": Worth(34.3, 27.5),
    "opic": Worth(33.9, 5.0),
    "shark_search": Worth(33.8, 18.9),
    "breadth_first": Worth(31.4, 4.4),
    "random_walk": Worth(25.6, 4.8),
    "pagerank": Worth(22.9, 5.3),
    "myspiders": Worth(13.3, 8.9),
    "infospiders": Worth(8.5, 6.3),
}
"""By strategy, the best from near first. Those of other packages were not measured."""
