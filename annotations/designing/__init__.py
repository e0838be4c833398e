"""Which instances are shown for which system, to whom, in what order, on which side.

- `drawing`, `sharing`: the combinatorics, pure;
- `averaging`: runs of one model and method as one system;
- `testing_unit`: what a test will exchange, and how small p can become;
- `plans`: a study's plan before it is stored (`propose`);
- `applying`: store it (`apply_plan`), give places by name (`assign_named`, `share_places`);
- `concealing`: whether the drawn values tell people from systems;
- `distorting`: how far drawn bars are from the predictions, for each way to draw;
- `weighing_displays`: both, on a few comparisons, while a study is set up;
- `figures`: their findings about a stored plan, kept;
- `pairing`: the exact distributions of all comparisons, and which of them look the same;
- `overview`: a stored plan and its progress;
- `reassigning`, `assignment_lists`: changing who answers what, by hand or from a list;
- `adding`, `pausing`: adding places to a running study, and pausing systems in it;
- `pilot_places`: fresh places for those used up by a pilot;
- `wordings`, `presets`: questions to choose from, and presets that choose every setting at once;
- `starting`, `beginning`: create a study and change a draft; create one with its maker as admin.
"""

from annotations.designing.averaging import all_candidates
from annotations.designing.concealing import Concealment, concealment
from annotations.designing.distorting import DisplayChoice, Distortion, display_choices, distortion
from annotations.designing.drawing import Draw, TooFewInstances, TooFewSystems, draw
from annotations.designing.overview import Overview, of_plan, overview, with_cells
from annotations.designing.places.applying import apply_plan, assign_named, least_covered, share_places
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
