"""The inputs of analyses: plain arrays with names, and a fingerprint of everything in them.

The classes are in `datasets`, `studies` and `answers`, and need no database: a notebook may build them by hand.
`gathering` fills them from the database, in one place for all analyses.
"""

from metaeval.analyses.inputs.answers import Answers, Reports, Responses
from metaeval.analyses.inputs.datasets import DatasetInputs, DatasetsInputs, Origin, VotesInputs
from metaeval.analyses.inputs.kinds import Inputs, InputsError, NoInputs, SubjectKind
from metaeval.analyses.inputs.studies import StudyInputs

__all__ = [
    "Answers",
    "DatasetInputs",
    "DatasetsInputs",
    "Inputs",
    "InputsError",
    "NoInputs",
    "Origin",
    "Reports",
    "Responses",
    "StudyInputs",
    "SubjectKind",
    "VotesInputs",
]
