"""What can be exchanged in a study: the unit of analysis. Needs no Django.

A permutation test asks what could have been otherwise if a metric had nothing to do with the judgements. Systems that
share a model or a method are alike for that reason alone, so they cannot simply change places with all others.
What is exchanged instead follows from the systems' names (`default_exchangeable`) and can be chosen:

- `systems`: any system with any other. Correct only if systems share nothing.
- `within model`: the systems of each model among themselves. For nested designs, where models have different methods.
- `methods jointly`: whole methods, each with its systems in all models at once. For crossed designs.
- `models jointly`: whole models, each with its systems of all methods at once.
- `models and methods`: both, independently of each other. For crossed designs with few methods.

Every choice comes down to `exchanges`: sets of units of which any two may change places, each unit being a list of
systems. Two rules apply to all but the first. Units change places only if they are alike: a method that lacks a
system in one model (a hole) is exchanged with methods that lack the same one, and stays where it is if there are none.
Whole models exchange only what all of them have: systems of a method with holes stay. And several runs of one model
and method move together, since two runs of one method say little more than one.
"""

from .crossing import Crossing
from .exchanging import (
    ENOUGH_METHODS,
    EXCHANGEABLE,
    Alike,
    Exchangeable,
    count_permutations,
    default_exchangeable,
    exchanges,
    held_exactly,
    smallest_p,
)
from .words import explained

__all__ = [
    "ENOUGH_METHODS",
    "EXCHANGEABLE",
    "Alike",
    "Crossing",
    "Exchangeable",
    "count_permutations",
    "default_exchangeable",
    "exchanges",
    "explained",
    "held_exactly",
    "smallest_p",
]
