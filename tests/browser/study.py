"""The study that the browser tests answer: real demo texts and areas of law, few enough to be quick."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotations import designing
from annotations.arrays import Matrix
from annotations.designing.lifecycle import add_member, change_state
from annotations.importing.memory.tables import (
    AnnotationColumns,
    AnnotationRow,
    DatasetTable,
    InstanceRow,
    LabelSet,
    PredictionTable,
    Segment,
    SystemTable,
)
from annotations.importing.writing.datasets import write_dataset
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Membership, Role, Study, StudyState, Task, User
from annotations.people.members import practised
from annotations.simulating.demo.lawyers import annotate
from annotations.simulating.demo.systems import simulate_systems
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS, latent_shares, load_texts
from annotations.simulating.responses import add_simulated_experts

PASSWORD = "a long password"
TEXTS, SYSTEMS = 12, 6
TITLE = "Areas of law, a test"
INSTRUCTIONS = "You will read short problems.\n\n- Choose the areas of law.\n- Compare two descriptions."


@dataclass(frozen=True)
class BrowserStudy:
    study: Study
    expert: Membership
    researcher: User
    admin: User

    @property
    def sources(self) -> set[str]:
        """Words that must never reach an expert's browser."""
        dataset = self.study.dataset
        names = {part for system in dataset.systems.all() for part in (system.model, system.method)}
        ids = {instance.external_id for instance in dataset.instances.all()}
        return names | ids | {dataset.slug, dataset.fingerprint, "human", "predicted"}


def make_study(
    *, instances_per_system: int = 4, experts_per_comparison: int = 2, simulated_experts: int = 4
) -> BrowserStudy:
    dataset = write_dataset(table=_table(), slug="browser-dataset", title="Problems", is_simulated=True).dataset
    write_predictions(dataset=dataset, table=_predictions(), is_simulated=True)
    study = designing.create_study(
        dataset=dataset,
        slug="areas",
        title=TITLE,
        instructions=INSTRUCTIONS,
        instances_per_system=instances_per_system,
        experts_per_comparison=experts_per_comparison,
        seed=11,
    )
    expert = add_member(study=study, user=_user("expert@example.org", "Erin Expert"), role=Role.EXPERT)
    add_simulated_experts(study=study, count=simulated_experts)
    researcher, admin = _user("researcher@example.org", "Robin Researcher"), _user("admin@example.org", "Ada Admin")
    add_member(study=study, user=researcher, role=Role.RESEARCHER)
    add_member(study=study, user=admin, role=Role.ADMIN)
    designing.apply_plan(study=study, actor=admin)
    change_state(study=study, to=StudyState.OPEN, actor=admin)
    study.refresh_from_db()
    return BrowserStudy(study=study, expert=expert, researcher=researcher, admin=admin)


def _user(email: str, name: str) -> User:
    return User.objects.create_user(email, PASSWORD, name=name)


def _table() -> DatasetTable:
    texts = load_texts()[:TEXTS]
    drawn = annotate(latent_shares(texts), seed=1)
    return DatasetTable(
        labels=LabelSet(names=LABELS, task=Task.MULTILABEL, exclusive=EXCLUSIVE_LABEL),
        instances=[InstanceRow(text.id, (Segment("", text.text),)) for text in texts],
        annotations=AnnotationColumns.from_rows(AnnotationRow(one.text, one.labels, one.lawyer) for one in drawn),
    )


def _predictions() -> PredictionTable:
    # Names that no text, label or script holds by chance: should one reach an expert, a test will find it.
    simulated = simulate_systems(latent_shares(load_texts()[:TEXTS]), seed=1)[:SYSTEMS]
    return PredictionTable(
        systems=tuple(
            SystemTable(model="Zebrafish", method=f"Quagga{number}", run=one.run, Q=one.Q)
            for number, one in enumerate(simulated)
        )
    )


def make_small_study(*, task: Task, names: tuple[str, ...], **settings: Any) -> Membership:
    """A study with few labels of which a text has exactly one; returns its expert."""
    rng = np.random.default_rng(5)

    def shares() -> Matrix:
        return rng.dirichlet(np.ones(len(names)), 4)

    values = tuple(float(place) for place in range(len(names))) if task == Task.ORDINAL else None
    table = DatasetTable(
        labels=LabelSet(names=names, task=task, values=values),
        instances=[
            InstanceRow(f"pair-{n}", (Segment("Premise", f"It rains {n}."), Segment("Hypothesis", "It is wet.")))
            for n in range(4)
        ],
        gold=shares(),
    )
    dataset = write_dataset(table=table, slug="small", title="Small", is_simulated=True).dataset
    systems = tuple(SystemTable(model="Zebrafish", method=f"Quagga{number}", Q=shares()) for number in range(2))
    write_predictions(dataset=dataset, table=PredictionTable(systems=systems), is_simulated=True)
    study = designing.create_study(
        dataset=dataset,
        slug="areas",
        title=TITLE,
        instances_per_system=2,
        experts_per_comparison=1,
        seed=3,
        **settings,
    )
    expert = add_member(study=study, user=_user("expert@example.org", "Erin Expert"), role=Role.EXPERT)
    practised(user=expert.user, slug=study.slug)
    designing.apply_plan(study=study)
    change_state(study=study, to=StudyState.OPEN)
    return expert
