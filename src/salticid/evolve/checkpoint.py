"""What is kept of a search after each generation, so that one that was killed goes on as if nothing had been."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from salticid.errors import SalticidError, UserError
from salticid.evolve.optimizer import Individual, Weights
from salticid.evolve.search_plan import SearchPlan, differences

FILE = "checkpoint.json"


class Generation(msgspec.Struct, frozen=True):
    """What one generation came to: the fittest of its population, the mean of all, and the weights of the fittest."""

    best: float
    mean: float
    weights: Weights


class State(msgspec.Struct, frozen=True):
    """A search after some generations.

    `history` has an entry for the first population and one for each generation after it. `tried` are all
    weights ever tried, with their fitness. The chance of a generation comes from the plan's seed and its
    number, so no state of a random generator is needed.
    """

    plan: SearchPlan
    population: tuple[Individual, ...] = ()
    history: tuple[Generation, ...] = ()
    tried: tuple[tuple[Weights, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file that holds the last state of a search, whole at every moment."""

    folder: Path

    def load(self, plan: SearchPlan) -> State:
        """The state to go on from, an empty one to begin with; a UserError if it is that of another search."""
        file = self.folder / FILE
        try:
            state = msgspec.json.decode(file.read_bytes(), type=State)
        except FileNotFoundError:
            return State(plan)
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"cannot read {file}: {error}; remove {self.folder} to begin anew") from None
        if changes := differences(state.plan, plan):
            raise UserError(
                f"{self.folder} holds another search: {'; '.join(changes)}; give the same arguments to go on with it, "
                "or another --out"
            )
        return state

    def save(self, state: State) -> None:
        """Put a state in the place of the one before."""
        partial = self.folder / f".{FILE}.partial"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as file:
                file.write(msgspec.json.encode(state))
                file.flush()
                os.fsync(file.fileno())
            partial.replace(self.folder / FILE)
        except OSError as error:
            raise SalticidError(f"cannot keep the search in {self.folder}: {error.strerror}") from None
