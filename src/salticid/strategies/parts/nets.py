"""A small feed-forward net that an agent carries, learns with and hands down."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from salticid.exact import tanhs
from salticid.model import Floats
from salticid.snapshots import in_snapshot, rows

_Layer = rows(np.float64)


@in_snapshot(layers="list[_Layer]")
class Net:
    """Layers of tanh units, each with a bias, and one output; without hidden units it is a perceptron.

    Weights start at random in 0..2/n, n the inputs of a unit, so that a new net takes keywords for a good
    sign; biases start at 0. Each layer is a matrix, a row for a unit, its bias last. Sums run in the order
    of the inputs, never through a library that may regroup them.

    >>> net = Net([np.array([[0.5, 0.0]])])
    >>> net.estimates(np.array([[0.0, 1.0, 2.0]])).round(3).tolist()
    [0.0, 0.462, 0.762]
    """

    def __init__(self, layers: list[Floats]) -> None:
        self.layers = layers

    @classmethod
    def random(cls, inputs: int, hidden: int, rng: np.random.Generator) -> Net:
        """An untrained net with random weights."""
        sizes = [inputs, hidden, 1] if hidden else [inputs, 1]
        return cls([_layer(below, units, rng) for below, units in pairwise(sizes)])

    def estimates(self, inputs: Floats) -> Floats:
        """The output for each column of inputs."""
        for weights in self.layers:
            inputs = _activity(weights, inputs)
        (output,) = inputs
        return np.asarray(output)

    def learn(self, inputs: Floats, target: float, rate: float) -> None:
        """One step of back-propagation: the output for one column of inputs is to be nearer to the target.

        The step of a unit is divided by the squared length of what comes in to it, the 1 of its bias
        included, so that a page crowded with keywords does not throw the weights about.
        """
        activities = [inputs[:, None]]
        for weights in self.layers:
            activities.append(_activity(weights, activities[-1]))
        error = target - activities[-1][:, 0]
        for layer in reversed(range(len(self.layers))):
            weights, above = self.layers[layer], activities[layer + 1][:, 0]
            below = np.append(activities[layer][:, 0], 1.0)
            slope = error * (1 - above * above)
            error = (weights[:, :-1] * slope[:, None]).sum(axis=0)
            self.layers[layer] = weights + rate * slope[:, None] * below / (below * below).sum()

    def mutate(self, share: float, noise: float, rng: np.random.Generator) -> Net:
        """A copy in which a share of the weights has normal noise added."""
        return Net(
            [w + noise * rng.standard_normal(w.shape) * (rng.random(w.shape) < share) for w in self.layers]
        )

    def widen(self, rng: np.random.Generator) -> Net:
        """A copy with one more input, whose weights are random in -1/n..1/n, n the inputs before."""
        first, *others = self.layers
        most = 1 / max(1, first.shape[1] - 1)
        return Net([np.insert(first, -1, rng.uniform(-most, most, len(first)), axis=1), *others])


def _layer(inputs: int, units: int, rng: np.random.Generator) -> Floats:
    return np.hstack((rng.uniform(0, 2 / max(1, inputs), (units, inputs)), np.zeros((units, 1))))


def _activity(weights: Floats, below: Floats) -> Floats:
    """tanh(bias + sum of weighted inputs) of each unit (rows), for each column."""
    activity: Floats = tanhs((weights[:, :-1, None] * below).sum(axis=1) + weights[:, -1:])
    return activity
