"""The sizes of a world of tests/worlds/copied.py, known before Django is set up."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CopiedWorld:
    """The sizes of a world."""

    texts: int = 250
    systems: int = 1
    experts: int = 20
    experts_per_comparison: int = 4
    answered: int = 0
    """How many texts the first expert has answered: the first place of the first comparisons."""
    covered: bool = False
    """Whether others have answered the first place of all other comparisons."""
    foreign_texts: int = 0
    """Texts of another dataset, which no study uses."""

    @property
    def comparisons(self) -> int:
        return self.texts * self.systems

    @property
    def places(self) -> int:
        return self.comparisons * self.experts_per_comparison
