"""What is ranked, and what is ranked together."""

from __future__ import annotations

from metaeval.analyses.inputs import StudyInputs, VotesInputs
from metaeval.analyses.method_ranking.contests import Units
from metaeval.analyses.method_ranking.parameters import MethodRanking
from metaeval.analyses.method_ranking.result import POOLED


def kind_of_units(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> Units:
    """What is ranked; votes only name systems."""
    return "systems" if isinstance(inputs, VotesInputs) else parameters.units


def units_of(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> tuple[str, ...]:
    """The unit that each system belongs to."""
    if isinstance(inputs, VotesInputs) or parameters.units == "systems":
        return inputs.systems
    if parameters.units == "models":
        return tuple(origin["model"] for origin in inputs.origins)
    return tuple(origin["method"] or origin["model"] for origin in inputs.origins)


def scopes_of(inputs: StudyInputs | VotesInputs, parameters: MethodRanking) -> list[tuple[str, frozenset[int]]]:
    """What is ranked together: the positions of the systems, by name of the scope."""
    everything = frozenset(range(len(inputs.systems)))
    if isinstance(inputs, VotesInputs) or parameters.units == "models":
        return [(POOLED, everything)]
    models = list(dict.fromkeys(origin["model"] for origin in inputs.origins))
    scopes = [(POOLED, everything)] if "pooled" in parameters.scopes or len(models) == 1 else []
    if "per_model" in parameters.scopes and len(models) > 1:
        scopes += [
            (model, frozenset(place for place, origin in enumerate(inputs.origins) if origin["model"] == model))
            for model in models
        ]
    return scopes
