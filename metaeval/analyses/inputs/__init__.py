"""The inputs of analyses: plain arrays with names, and a fingerprint of everything in them.

The classes are in `datasets`, `studies`, `answers` and `votes`, and need no database: a notebook may build them by
hand. `gathering` fills them from the database, in one place for all analyses.
"""

from metaeval.analyses.inputs.answers import Answers, Reports
from metaeval.analyses.inputs.datasets import DatasetInputs, DatasetsInputs, Origin
from metaeval.analyses.inputs.kinds import Inputs, InputsError, NoInputs, SubjectKind
from metaeval.analyses.inputs.responses import Responses
from metaeval.analyses.inputs.studies import StudyInputs
from metaeval.analyses.inputs.votes import VotesInputs

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
