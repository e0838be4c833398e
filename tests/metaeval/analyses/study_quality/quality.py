"""Run the quality of a study, and find things in its result."""

from annotations.models import Study
from metaeval.analyses.inputs.gathering import Subject
from metaeval.jobs.runs import compute


def quality(study, *, seed=1, **parameters):
    return compute(
        subject=Subject.of_study(Study.objects.get(pk=study.pk)),
        analysis="study_quality",
        parameters={"resamples": 100, **parameters},
        seed=seed,
        progress=lambda *_: None,
    )


def measure(result, name):
    return next(row for row in result["measures"] if row["measure"] == name)


def row(result, part, expert="All experts", step=None):
    return next(r for r in result[part] if r["expert"] == expert and step in {None, r.get("step")})
