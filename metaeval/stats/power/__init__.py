"""How likely a study is to find an existing correlation: for a plan, and as a curve over the true correlation."""

from .curve import JudgedDesign, PowerCurve, PowerPoint, power_curve
from .planned import Power, SharedUnits, StudyDesign, attainable_p, power

__all__ = [
    "JudgedDesign",
    "Power",
    "PowerCurve",
    "PowerPoint",
    "SharedUnits",
    "StudyDesign",
    "attainable_p",
    "power",
    "power_curve",
]
