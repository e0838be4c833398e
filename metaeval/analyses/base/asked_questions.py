"""How an analysis is presented to people who do not know it: a question, what its answer looks like, and the answer.

Each analysis declares this in `wording.py` of its folder and names it where it is registered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from metaeval.analyses.inputs import SubjectKind

QuestionGroup = Literal["The metrics", "The systems", "The experts", "The study itself", "Planning", "Other"]
GROUPS: tuple[QuestionGroup, ...] = get_args(QuestionGroup)

Need = Literal["answers", "preferences", "experts", "annotations", "systems", "three systems"]
"""What must exist before a question can be answered (`metaeval.jobs.readiness`)."""

COMPARED, STATISTICS, EXPERT = "What is compared", "Statistics", "Advanced statistics"
PARAMETER_GROUPS = (COMPARED, STATISTICS, EXPERT)
GROUP_KEY = "x-group"
"""The key in a parameter's JSON Schema for its group."""

MOST = 1000
"""The maximum number of characters of an answer: one to three sentences, with names that others chose."""


def _no_answer(_result: Any) -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class PlainWords:
    """An analysis as a question."""

    question: str
    group: QuestionGroup = "Other"
    shows: str = ""
    """What its answer looks like, and what it needs: one sentence each."""
    place: int = 50
    """Its order among the questions of its group, ascending."""
    is_preset: bool = False
    """Whether this is the question that a study is about, offered before all others."""
    needs: Mapping[SubjectKind, Sequence[Need]] = field(default_factory=dict)
    compared: Sequence[str] = ()
    """The parameters that say what is compared."""
    statistics: Sequence[str] = ()
    """The statistical parameters that many will want to set. All others are advanced."""
    answer: Callable[[Any], str] = _no_answer
    """One to three plain sentences from the analysis's own result: a headline and, on a second line, details
    (`saying.answered`). They claim nothing that its tables do not support; docs/results.md has the rules."""

    @property
    def order(self) -> int:
        """Its position among all questions."""
        return -1 if self.is_preset else 100 * GROUPS.index(self.group) + self.place

    def group_of(self, parameter: str) -> str:
        """The group of a parameter."""
        if parameter in self.compared:
            return COMPARED
        return STATISTICS if parameter in self.statistics else EXPERT
