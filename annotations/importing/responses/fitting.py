"""Do responses fit a dataset: its labels, its instances, and the predictions that were shown?"""

from __future__ import annotations

import numpy as np

from annotations.ground.arrays import absent_rows
from annotations.ground.errors import HLVError
from annotations.importing.memory.problems import listed
from annotations.importing.responses.study_records import StudyRecord, StudyResponses, SystemKey
from annotations.models import Dataset
from annotations.models.datasets import matrix_or_error


class DoesNotFit(HLVError):
    """The responses are about instances, labels or predictions that the dataset does not have."""

    code = "does_not_fit"


def check_fit(responses: StudyResponses, dataset: Dataset) -> None:
    """Raises DoesNotFit if the responses are about something the dataset does not have."""
    record = responses.record
    names = list(dataset.labels.order_by("position").values_list("name", flat=True))
    if record.dataset and record.dataset.labels != names:
        raise DoesNotFit(f"The label set differs from that of dataset {dataset.slug!r}.")
    if record.dataset and record.dataset.fingerprint not in {"", dataset.fingerprint}:
        raise DoesNotFit(
            f"The responses were given on another version of the dataset (SHA-256 {record.dataset.fingerprint}; "
            f"{dataset.slug!r} here has {dataset.fingerprint}). Import the same files of instances first."
        )
    here = {(s.model, s.method, s.run): s.fingerprint for s in dataset.systems.all()}
    means = {system.key for system in record.systems if system.mean_of}
    wanted = {system for c in responses.comparisons for system in (c.first, c.second) if system}
    wanted = {system for system in wanted if system.key not in means} | set(_runs(record))
    missing = sorted({system.name for system in wanted if system.key not in here})
    if missing:
        raise DoesNotFit(
            f"Dataset {dataset.slug!r} does not have the systems {listed(missing)}. Import their predictions first."
        )
    stated = [(s, s.fingerprint) for s in record.systems if not s.mean_of] + list(_runs(record).items())
    other = [s.name for s, fingerprint in stated if fingerprint and here.get(s.key) != fingerprint]
    if other:
        raise DoesNotFit(
            f"Dataset {dataset.slug!r} has other predictions of {listed(other)} than those that were shown."
        )
    instances = set(dataset.instances.values_list("external_id", flat=True))
    strangers = sorted({c.instance for c in responses.comparisons} - instances)
    if strangers:
        raise DoesNotFit(f"Dataset {dataset.slug!r} has no instances {listed(strangers)}.")
    _check_predicted(responses, dataset)
    unknown = {label for a in responses.history for r in a.labelResponses for label in r.labels} - set(names)
    if unknown:
        raise DoesNotFit(f"Dataset {dataset.slug!r} has no labels {listed(sorted(unknown))}.")


def _check_predicted(responses: StudyResponses, dataset: Dataset) -> None:
    """Check that what was compared is predicted here: the files alone do not contain the matrices."""
    shown: dict[tuple[str, str, str], set[str]] = {}
    for comparison in responses.comparisons:
        for key in (comparison.first, comparison.second):
            if key is not None:
                shown.setdefault(key.key, set()).add(comparison.instance)
    lacking = [system for system in dataset.systems.all() if system.missing]
    if not lacking:
        return
    ids = list(dataset.instances.order_by("position").values_list("external_id", flat=True))
    for system in lacking:
        gaps = np.flatnonzero(absent_rows(matrix_or_error(system.predictions))).tolist()
        absent = sorted(shown.get((system.model, system.method, system.run), set()) & {ids[i] for i in gaps})
        if absent:
            raise DoesNotFit(f"Dataset {dataset.slug!r} has no predictions of {system.name} for {listed(absent)}.")


def _runs(record: StudyRecord) -> dict[SystemKey, str]:
    """The runs averaged in the study's means, with the SHA-256 of their predictions."""
    return {
        SystemKey(model=mean.model, method=mean.method, run=run.run): run.fingerprint
        for mean in record.systems
        for run in mean.mean_of
    }
