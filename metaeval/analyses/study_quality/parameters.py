"""The parameters of the quality of a study."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metaeval.analyses.base.parameters import Level, Parameters

Pilot = Literal["auto", "leave_out", "include", "only"]
Distance = Literal["default", "nominal", "interval", "jaccard", "masi"]


class StudyQuality(Parameters):
    """Parameters of `study_quality`."""

    pilot: Pilot = Field(default="auto", title="Pilot")
    """Auto: the pilot's answers as long as there are no others, and without them afterwards."""
    distance: Distance = Field(default="default", title="Distance of labels")
    """The distance between the labels of two experts: MASI for sets of labels, interval for a scale, and nominal
    otherwise. Preferences are always nominal."""
    least_common: int = Field(default=5, ge=1, le=100_000, title="Minimum items in common")
    """The agreement of an expert with the rest is undefined if others judged fewer of the same items."""
    quick_seconds: float = Field(default=3.0, ge=0.0, le=3600.0, title="Quick answers")
    """Answers given in fewer seconds than this are counted as quick."""
    resamples: int = Field(default=1000, ge=100, le=100_000, title="Resamples")
    """Bootstrap samples: of the items for agreement, and of the experts for the share of A and for guesses."""
    level: Level = 0.95
