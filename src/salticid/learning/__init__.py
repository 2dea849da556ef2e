"""Models over word ids that strategies and judges share: word weights, vectors, classifiers of pages and links."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from salticid.learning.answers import Answers, interval
    from salticid.learning.keyword_match import KeptVectors, PageWords
    from salticid.learning.linear_svm import Features, Keys, LinearSvm
    from salticid.learning.link_model import LONGEST_ANCHOR, AnchorWords, LinkModel, model_for
    from salticid.learning.link_tables import LinkTables, save_link_tables
    from salticid.learning.link_traits import PageTraits
    from salticid.learning.link_weights import LinkWeights, save_link_weights
    from salticid.learning.naive_bayes import ON, STOP_NUMBER, TaggedPages, Whole, WordNumbers
    from salticid.learning.rarity import RareWords, Rarity, background
    from salticid.learning.stem_vectors import Stack, StemVector, length_of, log_vector, total
    from salticid.learning.topic_words import Mixture, TopicWords
    from salticid.learning.trained_judge import Calibration, Schedule, TrainedJudge
    from salticid.learning.word_vectors import StaticVectors
else:
    from salticid.doors import lazy_names

    __getattr__ = lazy_names(__name__)


__all__ = [
    "LONGEST_ANCHOR",
    "ON",
    "STOP_NUMBER",
    "AnchorWords",
    "Answers",
    "Calibration",
    "Features",
    "KeptVectors",
    "Keys",
    "LinearSvm",
    "LinkModel",
    "LinkTables",
    "LinkWeights",
    "Mixture",
    "PageTraits",
    "PageWords",
    "RareWords",
    "Rarity",
    "Schedule",
    "Stack",
    "StaticVectors",
    "StemVector",
    "TaggedPages",
    "TopicWords",
    "TrainedJudge",
    "Whole",
    "WordNumbers",
    "background",
    "interval",
    "length_of",
    "log_vector",
    "model_for",
    "save_link_tables",
    "save_link_weights",
    "total",
]
