"""What a scenario is, and how it is found: each is a module of `tests.faults.scenarios` with a class `Fault`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tests.faults import scenarios

if TYPE_CHECKING:
    from tests.faults.installation import Installation
    from tests.faults.load import Notes

PAUSE_SECONDS = 0.1
"""Between two answers of an expert, except in the long run."""


@dataclass(frozen=True)
class Options:
    """How much is done."""

    rounds: int = 3
    seconds: float = 2
    """Between two faults; also how long a fault lasts that can last."""
    answers: int = 1_000
    """Of the long run."""
    longest: float = 1_800
    """Seconds that the long run may take."""
    users: int = 8


class Scenario:
    """One fault."""

    name: str = ""
    """Its module's."""
    title: ClassVar[str]
    mounts: ClassVar[Mapping[str, int]] = {}
    shifted: ClassVar[bool] = False
    is_long: ClassVar[bool] = False
    """Runs until so many answers are acknowledged, whatever the number of rounds."""
    script: ClassVar[str] = "tests.faults.persisting:Persisting"

    def strike(self, there: Installation, options: Options, notes: Notes) -> list[str]:
        """Do the harm, and repair what an operator or a service manager would; what is wrong, in sentences."""
        raise NotImplementedError

    def answers_at_most(self, options: Options) -> int:
        """How many answers there must be room for, so that no expert is done before the end."""
        if self.is_long:
            return options.answers
        seconds = options.rounds * (4 * options.seconds + 20) + self.lasts(options)
        return round(options.users * seconds / PAUSE_SECONDS)

    def lasts(self, options: Options) -> float:
        """Seconds of all faults, besides `seconds` each and starting again."""
        return 0.0

    def problems(self, notes: Notes) -> list[str]:
        """What is wrong with what the experts noted."""
        return []


def found() -> dict[str, Scenario]:
    """All scenarios, by name."""
    all_of_them = {}
    for module in pkgutil.iter_modules(scenarios.__path__):
        fault: Scenario = importlib.import_module(f"{scenarios.__name__}.{module.name}").Fault()
        fault.name = module.name
        all_of_them[module.name] = fault
    return all_of_them
