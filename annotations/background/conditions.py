"""The condition of a part of the installation, as a sentence with its remedy."""

from dataclasses import dataclass
from enum import StrEnum


class Condition(StrEnum):
    WELL = "well"
    LOOK = "look"
    """It works, but somebody should look at it."""
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class HealthPart:
    """One part of the installation, and its condition."""

    name: str
    condition: Condition
    sentence: str
    remedy: str = ""
