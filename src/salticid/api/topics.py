"""Topics, with what is true about them kept apart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from salticid import truth
from salticid.errors import UserError
from salticid.judges import judges
from salticid.metrics import metrics
from salticid.strategies import strategies
from salticid.topic import Topic
from salticid.truth import Truth
from salticid.webs import RecordedWeb


@dataclass(frozen=True, slots=True)
class TopicFile:
    """A topic as a file has it: the crawler's half, and apart from it what only measures may know."""

    path: Path
    topic: Topic
    truth: Truth

    @property
    def name(self) -> str:
        return self.topic.name

    @property
    def keywords(self) -> str:
        return self.topic.keywords

    @property
    def seeds(self) -> tuple[str, ...]:
        return self.topic.seeds


def load_topic(path: str | Path) -> TopicFile:
    """The topic of a TOML file; a UserError names what is wrong with it."""
    return TopicFile(Path(path), *truth.load_topic(Path(path)))


def crawlers_half(topic: Topic | TopicFile | str | Path) -> Topic:
    """The crawler's half of a topic, however it was given."""
    if isinstance(topic, str | Path):
        return load_topic(topic).topic
    if isinstance(topic, TopicFile):
        return topic.topic
    if isinstance(topic, Topic):
        return topic
    raise UserError(f"no topic {topic!r}; give a salticid.Topic, what load_topic gave, or the path of a topic file")


# Recorded webs.


def open_world(path: str | Path) -> RecordedWeb:
    """The recorded web in a folder that `salticid world build` made."""
    return RecordedWeb(Path(path))


# The names of what can be chosen.


def strategy_names() -> list[str]:
    """All strategies, those of other packages included."""
    return strategies.names()


def judge_names() -> list[str]:
    """All judges, those of other packages included."""
    return judges.names()


def measure_names() -> list[str]:
    """All measures, those of other packages included."""
    return metrics.names()
