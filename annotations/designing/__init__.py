"""Which instances are shown for which system, to whom, in what order, on which side; a study created and opened."""

from annotations.designing.applying import apply_plan, assign_named, least_covered, share_places
from annotations.designing.averaging import all_candidates
from annotations.designing.concealing import Concealment, concealment
from annotations.designing.displays import DisplayChoice, Distortion, display_choices, distortion
from annotations.designing.drawing import Draw, TooFewInstances, TooFewSystems, draw
from annotations.designing.overview import Overview, of_plan, overview, with_cells
from annotations.designing.plans import StudyPlan, propose
from annotations.designing.sharing import Person, TooFewExperts, missing_experts, share
from annotations.designing.starting import SETTINGS, change_settings, create_study, draft, put_settings, put_tried
from annotations.designing.testing_unit import TestingUnit, unit_of

__all__ = [
    "SETTINGS",
    "Concealment",
    "DisplayChoice",
    "Distortion",
    "Draw",
    "Overview",
    "Person",
    "StudyPlan",
    "TestingUnit",
    "TooFewExperts",
    "TooFewInstances",
    "TooFewSystems",
    "all_candidates",
    "apply_plan",
    "assign_named",
    "change_settings",
    "concealment",
    "create_study",
    "display_choices",
    "distortion",
    "draft",
    "draw",
    "least_covered",
    "missing_experts",
    "of_plan",
    "overview",
    "propose",
    "put_settings",
    "put_tried",
    "share",
    "share_places",
    "unit_of",
    "with_cells",
]
