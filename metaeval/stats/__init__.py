"""Statistics of meta-evaluation, one room per question:

- `correlating`: does a metric agree with the judgements, and how sure is that?
- `comparing`: does one metric agree with them better than another?
- `power`: how likely is a study to find an effect that exists?
- `ranking`: which systems are best?
- `responses`: what did experts answer, and how?
- `agreement`: how much do people agree?
- `uncertainty`: what does their disagreement mean for machines?

What they share is beside them: intervals, p-values, corrections for several tests, results.

Pure NumPy and SciPy, with compiled loops where they pay; no Django, no I/O, and pandas only inside
`to_frame`. Every random function takes a seed, and every result is a small frozen dataclass whose `to_dict()` is plain
JSON.
"""

from metaeval.sampling import ResamplingPlan, Seed

from . import comparing, correlating, ranking, responses
from . import power as power_room  # which has a function of this name
from .comparing import *  # noqa: F403 - what a room offers is in its `__all__`
from .correlating import *  # noqa: F403
from .intervals import Interval, IntervalMethod, bootstrap_interval, wilson_interval
from .multiplicity import benjamini_hochberg, holm
from .power import *  # noqa: F403
from .ranking import *  # noqa: F403
from .responses import *  # noqa: F403
from .results import SignificanceResult, Statistic, plain, to_frame

__all__ = [
    "Interval",
    "IntervalMethod",
    "ResamplingPlan",
    "Seed",
    "SignificanceResult",
    "Statistic",
    "benjamini_hochberg",
    "bootstrap_interval",
    "holm",
    "plain",
    "to_frame",
    "wilson_interval",
]
__all__ += comparing.__all__
__all__ += correlating.__all__
__all__ += power_room.__all__
__all__ += ranking.__all__
__all__ += responses.__all__
