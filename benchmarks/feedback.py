"""What ten words of a person are worth: harvest after them, against the same crawls left alone."""

from __future__ import annotations

from benchmarks._feedback_trial import FeedbackTrial, worth
from benchmarks.material import topics, world
from benchmarks.report import say
from salticid.truth import load_topic
from salticid.webs.recorded import RecordedWeb


def run() -> None:
    """On all topics of schools-wikipedia, paired."""
    web = RecordedWeb(world())
    loaded = [load_topic(file) for file in topics("examples")]
    for strategy, judge in (("hunter", "profile"), ("best_first", "profile"), ("myspiders", "rocchio")):
        test = worth(FeedbackTrial(strategy, judge), web, loaded)
        if test is None:
            say(f"  {strategy}: no topic to measure it on")
        else:
            say(
                f"  {strategy}: {test.diff:+.3f} of harvest over the other 250 pages "
                f"({test.low:+.3f} to {test.high:+.3f}, p {test.p or 0:.4f}, {test.n} topics)"
            )
