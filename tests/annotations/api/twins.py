"""Two worlds that differ only in what experts must not see: who said what, and every name."""

import uuid
from dataclasses import dataclass

import numpy as np
from django.db.models import F

from annotations import designing
from annotations.designing.lifecycle import change_state
from annotations.importing.memory.tables import SystemTable
from annotations.models import Assignment, Role, Study, StudyState
from tests.worlds.datasets import store_dataset
from tests.worlds.studies import make_member, make_study

INSTANCES, LABELS = 6, 5


@dataclass(frozen=True)
class Twin:
    """What experts must not see."""

    name: str
    is_swapped: bool
    compares: str
    sides_turned: bool = True

    @property
    def secrets(self) -> list[str]:
        return [f"{self.name}-{what}" for what in ("dataset", "title", "model", "method", "run", "external", "source")]


def make_twin(twin: Twin) -> Study:
    rng = np.random.default_rng(3)
    one, other = (np.round(rng.random((INSTANCES, LABELS)), 2) for _ in range(2))
    one[0], other[1] = 0.0, 0.05  # a side without any bar, on either side
    # Two sides that look the same, rounded as their people or as two systems are, and are not the same.
    one[5] = [0.5, 0.25, 0.75, 0.0, 0.9]
    other[5] = one[5] + 0.001
    if twin.is_swapped:
        one, other = other, one
    predictions = {"a": other} if twin.compares == "human_vs_system" else {"a": one, "b": other}
    dataset = store_dataset(
        slug=f"{twin.name}-dataset",
        title=f"{twin.name}-title",
        source=f"{twin.name}-source",
        task="multilabel",
        gold=one,
        labels=[f"Area {k}" for k in range(LABELS)],
        systems=[
            SystemTable(f"{twin.name}-model-{letter}", matrix, f"{twin.name}-method", f"{twin.name}-run")
            for letter, matrix in predictions.items()
        ],
        external=f"{twin.name}-external-{{}}",
        text="Text {}",
        fingerprint=uuid.uuid4().hex,
    )
    dataset.instances.update(parts=F("position") + 3)
    study = make_study(
        dataset=dataset,
        slug="the-study",
        title="The study",
        compares=twin.compares,
        instances_per_system=INSTANCES,
        experts_per_comparison=2,
        asks_guess=twin.compares == "human_vs_system",
        seed=11,
    )
    for number in range(3):
        # The session tells a person's own id, and PostgreSQL would count on from one twin to the other.
        make_member(study, Role.EXPERT, f"expert{number}@example.org", id=9_000_001 + number)
    designing.apply_plan(study=study)
    for place in study.assignments.select_related("comparison"):
        token = uuid.uuid5(uuid.NAMESPACE_OID, f"{place.comparison.position} {place.place}")
        Assignment.objects.filter(pk=place.pk).update(token=token)
    return change_state(study=study, to=StudyState.OPEN)
