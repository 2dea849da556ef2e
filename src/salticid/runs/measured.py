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
    "hunter": Worth(64.2, 62.8),
    "adaptive_n": Worth(46.3, 36.2),
    "best_first": Worth(46.2, 36.2),
    "context": Worth(46.2, 36.2),
    "best_n_first": Worth(43.9, 9.7),
    "neighbourhood": Worth(43.6, 22.6),
    "linear_rank": Worth(43.5, 31.5),
    "context_graph": Worth(41.7, 30.0),
    "transition": Worth(39.9, 34.8),
    "fish_search": Worth(36.6, 15.6),
    "anchor": Worth(36.1, 21.8),
    "url_keyword": Worth(35.0, 7.2),
    "host_bandit": Worth(34.3, 27.7),
    "opic": Worth(33.9, 5.0),
    "shark_search": Worth(33.8, 18.9),
    "breadth_first": Worth(31.4, 4.4),
    "random_walk": Worth(25.6, 4.8),
    "pagerank": Worth(22.9, 5.3),
    "myspiders": Worth(14.2, 9.6),
    "infospiders": Worth(7.7, 6.1),
}
"""By strategy, the best from near first. Those of other packages were not measured."""
