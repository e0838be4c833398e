"""What a permutation test exchanges, as part of a sentence, for both results and plans."""

from __future__ import annotations

from collections.abc import Mapping

from annotations.ground.units import Exchangeable
from metaeval.analyses.base.saying import spelled


def permuted(exchangeable: Exchangeable, *, systems: int, models: int, methods: int) -> str:
    """What is exchanged.

    >>> permuted("methods jointly", systems=26, models=2, methods=13)
    '13 methods jointly in both models'
    >>> permuted("systems", systems=8, models=1, methods=8)
    'eight systems freely'
    """
    many_models, many_methods = spelled(models), f"{spelled(methods)} method{'' if methods == 1 else 's'}"
    in_models = "both models" if models == 2 else f"all {many_models} models"
    words: Mapping[Exchangeable, str] = {
        "systems": f"{spelled(systems)} systems freely",
        "within model": f"systems within each of {many_models} models"
        if models > 1
        else f"{many_methods} of one model",
        "methods jointly": f"{many_methods} jointly in {in_models}" if models > 1 else many_methods,
        "models jointly": f"{many_models} model{'' if models == 1 else 's'} jointly with all their methods",
        "models and methods": f"{many_models} model{'' if models == 1 else 's'} and {many_methods}, each as a whole",
    }
    return words[exchangeable]
