"""A study in the database as a bundle: what `metaeval.bundles` writes, gathered once, and its README.md."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any

from annotations.designing.testing_unit import unit_of
from annotations.exporting.companion_files import versions_read
from annotations.exporting.formats import ExportFile
from annotations.exporting.study_responses import sides_record
from annotations.ground.progress import Progress, silent
from annotations.models import Instance, Study
from metaeval.analyses.base.computing import LIBRARIES
from metaeval.analyses.base.rules import RULES
from metaeval.analyses.inputs.datasets import Origin
from metaeval.analyses.inputs.gathering import annotation_rows, gather_study
from metaeval.analyses.inputs.places import turn_rows
from metaeval.bundles.writing import Contents, packed, parts_of
from metaeval.documents.results import newest_runs, of_todays_data
from metaeval.jobs.models import StampedPlan
from metaeval.jobs.planning import planned_rows
from metaeval.jobs.runs import result_of

SIMULATED = "**SIMULATED: this study holds simulated data or experts. Its numbers say nothing about real people.**\n\n"
WITH_TEXTS = (
    "The texts of the instances are in `data/texts.jsonl`, except for those that were withdrawn because "
    "they identify a person. Ask before you pass them on."
)

WITHOUT_TEXTS = "The texts of the instances are left out: they may be confidential, and no result needs them."
MISSING = "\nResults that are not here, because the data have changed since:\n\n"


def readme(study: Study, *, results: int, left_out: Sequence[str], with_texts: bool) -> str:
    """An introduction for anyone who opens the archive."""
    words = Template((Path(__file__).parent / "bundle_readme.md").read_text(encoding="utf-8"))
    return words.substitute(
        title=study.title,
        simulated=SIMULATED if study.is_simulated or study.dataset.is_simulated else "",
        results=results,
        texts=WITH_TEXTS if with_texts else WITHOUT_TEXTS,
        missing=MISSING + "".join(f"- {line}\n" for line in left_out) if left_out else "",
    )


STATED = (
    "question_labels", "question_preference", "instructions", "share_meaning", "question_certainty", "layout",
    "language", "systems", "assigning", "display_step", "give_aways", "seed",
)  # fmt: skip
"""Settings of a study that a bundle states as they are, besides those on which numbers depend."""


def bundle_files(study: Study, *, with_texts: bool = False, progress: Progress = silent) -> list[ExportFile]:
    """The files of the archive, in the order in which they must be written."""
    progress(0, 3, "Reading the data")
    inputs = gather_study(study)
    runs, older = of_todays_data(newest_runs(study), inputs.fingerprint)
    progress(1, 3, "Collecting the results")
    withdrawn = Instance.objects.filter(dataset=study.dataset, withdrawn_at__isnull=False)
    left_out = [f"{run.analysis} (seed {run.seed}): computed from earlier data" for run in older]
    contents = Contents(
        inputs=inputs,
        dataset_fingerprint=study.dataset.fingerprint,
        annotations=lambda: annotation_rows(study.dataset),
        withdrawn=frozenset(withdrawn.values_list("position", flat=True)),
        texts=(lambda: _texts(study)) if with_texts else None,
        sides=sides_record(study),
        turns=lambda: turn_rows(study),
        plan=_plan(study),
        results=[result_of(run) for run in runs],
        left_out=left_out,
        versions=_versions({run.analysis: run.made_with for run in runs}),
        described=_described(study, inputs.origins),
        readme=readme(study, results=len(runs), left_out=left_out, with_texts=with_texts),
    )
    progress(2, 3, "Writing")
    about = {
        "name": study.slug.lower(),
        "title": study.title,
        "description": f"Study {study.slug}: data, plan, results and how to check them (README.md).",
        "version": "1",
        "simulated": inputs.is_simulated,
    }
    if study.dataset.source:
        about["sources"] = [{"title": study.dataset.source}]
    return packed(parts_of(contents), about)


def _plan(study: Study) -> dict[str, Any]:
    stamped = StampedPlan.objects.filter(study=study).first()
    if stamped is not None:
        return {"planned": stamped.content, "sha256": stamped.sha256, "stamped_at": stamped.at.isoformat()}
    return {"planned": planned_rows(study), "sha256": None, "stamped_at": None}


def _versions(made_with: Mapping[str, str]) -> dict[str, Any]:
    return {
        "results_made_with": dict(made_with),
        "rules": RULES,
        "bundle_made_with": {
            "python": platform.python_version(),
            **{library: version(library) for library in LIBRARIES},
        },
    }


def _described(study: Study, origins: Sequence[Origin]) -> dict[str, Any]:
    """Facts for readers, without people's names or experts' words."""
    dataset = study.dataset
    found_by = {label.name: label.search_words for label in dataset.labels.all() if label.search_words}
    unit = unit_of([(origin["model"], origin["method"], origin["run"]) for origin in origins])
    return {
        "study": {
            "exchangeable_by_default": unit and unit.record,
            **{name: getattr(study, name) for name in STATED},
            "opened_at": _time(study.opened_at),
            "closed_at": _time(study.closed_at),
            "instrument_versions": versions_read(study),
        },
        "dataset": {"description": dataset.description, "source": dataset.source, "licence": dataset.licence}
        | ({"search_words": found_by} if found_by else {}),
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _texts(study: Study) -> Iterator[dict[str, Any]]:
    """The texts, without those that were withdrawn because they identify a person."""
    rows = Instance.objects.filter(dataset=study.dataset, withdrawn_at=None).order_by("position")
    for instance, segments, language, direction, split in rows.values_list(
        "external_id", "segments", "language", "direction", "split"
    ).iterator(chunk_size=500):
        row = {"instance": instance, "segments": segments, "language": language, "direction": direction}
        yield row | ({"split": split} if split else {})
