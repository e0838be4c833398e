"""The study that the browser tests answer: real demo texts and areas of law, few enough to be quick."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotations.designing.presets import wordings
from annotations.ground.arrays import Matrix
from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    Segment,
    SystemTable,
)
from annotations.models import Membership, Role, Study, Task, User
from annotations.people.membership.members import practised
from annotations.simulating.demo.judgements import annotate, simulate_systems
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS, latent_shares, load_texts
from annotations.simulating.responses import add_simulated_experts
from tests.worlds.datasets import written_dataset
from tests.worlds.studies import make_member, make_study, plan_and_open

PASSWORD = "a long password"
TEXTS, SYSTEMS = 12, 6
TITLE = "Areas of law, a test"
AREAS_OF_LAW = wordings("multilabel", "en")[-1]
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


def make_browser_study(
    *, instances_per_system: int = 4, experts_per_comparison: int = 2, simulated_experts: int = 4
) -> BrowserStudy:
    dataset = written_dataset(_table(), _systems(), slug="browser-dataset", title="Problems", is_simulated=True)
    study = make_study(
        dataset=dataset,
        slug="areas",
        title=TITLE,
        instructions=INSTRUCTIONS,
        instances_per_system=instances_per_system,
        experts_per_comparison=experts_per_comparison,
        seed=11,
        **AREAS_OF_LAW.questions,
    )
    expert = make_member(study, Role.EXPERT, "expert@example.org", PASSWORD, name="Erin Expert")
    add_simulated_experts(study=study, count=simulated_experts)
    researcher = make_member(study, Role.RESEARCHER, "researcher@example.org", PASSWORD, name="Robin Researcher").user
    admin = make_member(study, Role.ADMIN, "admin@example.org", PASSWORD, name="Ada Admin").user
    plan_and_open(study, actor=admin)
    study.refresh_from_db()
    return BrowserStudy(study=study, expert=expert, researcher=researcher, admin=admin)


def _table() -> DatasetTable:
    texts = load_texts()[:TEXTS]
    drawn = annotate(latent_shares(texts), seed=1)
    return DatasetTable(
        labels=LabelSet(names=LABELS, task=Task.MULTILABEL, exclusive=EXCLUSIVE_LABEL),
        instances=[InstanceRow(text.id, (Segment("", text.text),)) for text in texts],
        annotations=AnnotationTable.from_rows(AnnotationRow(one.text, one.labels, one.lawyer) for one in drawn),
    )


def _systems() -> list[SystemTable]:
    # Names that no text, label or script holds by chance: should one reach an expert, a test will find it.
    simulated = simulate_systems(latent_shares(load_texts()[:TEXTS]), seed=1)[:SYSTEMS]
    return [
        SystemTable(model="Zebrafish", method=f"Quagga{number}", run=one.run, Q=one.Q)
        for number, one in enumerate(simulated)
    ]


def practised_expert(*, task: Task, names: tuple[str, ...], **settings: Any) -> Membership:
    """The expert of a study with few labels of which a text has exactly one."""
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
    systems = [SystemTable(model="Zebrafish", method=f"Quagga{number}", Q=shares()) for number in range(2)]
    expert = lone_expert(table, systems, title=TITLE, instances_per_system=2, **settings)
    practised(user=expert.user, slug=expert.study.slug)
    return expert


def lone_expert(
    table: DatasetTable, systems: list[SystemTable], *, name: str = "Erin Expert", **settings: Any
) -> Membership:
    """The only expert of an open study, who answers everything in it."""
    dataset = written_dataset(table, systems, slug="small", title="Small", is_simulated=True)
    study = make_study(dataset=dataset, slug="areas", experts_per_comparison=1, seed=3, **settings)
    expert = make_member(study, Role.EXPERT, "expert@example.org", PASSWORD, name=name)
    plan_and_open(study)
    return expert
