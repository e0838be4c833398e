"""Load the demo: dataset, systems, study, people, and simulated answers. What is there already is reused."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from annotations import designing
from annotations.designing import lifecycle
from annotations.designing.keys import give_key
from annotations.designing.starting import settings_of_preset
from annotations.importing.memory.tables import (
    AnnotationRow,
    AnnotationTable,
    DatasetTable,
    InstanceRow,
    LabelSet,
    PredictionTable,
    Segment,
    SystemTable,
)
from annotations.importing.writing.datasets import write_dataset
from annotations.importing.writing.predictions import write_predictions
from annotations.models import Dataset, Phase, Role, Study, StudyState, Task, User
from annotations.progress import Progress
from annotations.simulating.demo.lawyers import annotate
from annotations.simulating.demo.people import make_people
from annotations.simulating.demo.systems import METHODS, simulate_systems
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS, latent_shares, load_search_words, load_texts
from annotations.simulating.responses import add_simulated_experts, give_places, needed_experts, simulate_responses

SEED = 2026
KEY = b"Of the demo alone: known to all."  # so that every demo is the same one
SLUG = "demo"
OWN_ASSIGNMENTS = 28  # what waits for the person who signs in as the expert

INSTRUCTIONS = """\
**This is a demo.** The texts are invented, the predictions are simulated, and so are all the answers but yours.

You will see short texts as people write them to a legal help line. For each of them:

1. Choose the areas of law that the text touches. Choose *Not a legal issue* when there is none.
2. Then look at two descriptions of the same text, **A** and **B**. Each says how many in a hundred lawyers would
   choose an area. Say which of them is more accurate: one, both, or neither.

There is no right answer. You may stop at any time: you will come back to the same place.
"""


@dataclass(frozen=True, slots=True)
class Demo:
    """What was loaded or found."""

    study: Study
    people: dict[Role, User]
    answers_added: int


def load_demo(*, progress: Progress | None = None) -> Demo:
    """See to it that the whole demo is there. Interrupted or repeated, it ends in the same place."""
    say = progress or (lambda done, total, message: None)
    say(0, 0, "texts, lawyers and systems")
    dataset = load_dataset()
    people = make_people()
    say(0, 0, "plan")
    study = _study(dataset, people)
    answers = 0
    if study.accepts_responses:
        answers = simulate_responses(study=study, actor=people[Role.ADMIN], progress=progress)
    return Demo(study=study, people=people, answers_added=answers)


def load_dataset() -> Dataset:
    """The demo's dataset with its 26 systems. One that was loaded before, by an earlier version too, stays as it is."""
    texts = load_texts()
    shares = latent_shares(texts)
    found_by = tuple(load_search_words().items())
    table = DatasetTable(
        labels=LabelSet(LABELS, Task.MULTILABEL, exclusive=EXCLUSIVE_LABEL, search_words=found_by),
        instances=[InstanceRow(text.id, (Segment("", text.text),)) for text in texts],
        annotations=AnnotationTable.from_rows(
            AnnotationRow(a.text, a.labels, a.lawyer) for a in annotate(shares, seed=SEED)
        ),
    )
    dataset = write_dataset(
        table=table,
        slug=SLUG,
        title="Legal problems (demo, simulated)",
        description=f"{len(texts)} invented legal problems, each with the areas of law that about 5.5 invented "
        "lawyers see in it. Everything is made up.",
        source="Written for HLV Study.",
        is_simulated=True,
    ).dataset
    describes = {method.name: method.describes for method in METHODS}
    systems = tuple(
        SystemTable(s.model, s.Q, s.method, s.run, options={"simulated": describes[s.method]})
        for s in simulate_systems(shares, seed=SEED)
    )
    if not dataset.systems.exists():
        write_predictions(dataset=dataset, table=PredictionTable(systems), is_simulated=True)
    return dataset


@transaction.atomic
def _study(dataset: Dataset, people: dict[Role, User]) -> Study:
    """The open study with all places given: some to the person who tries the demo, all others to simulated experts."""
    study = Study.objects.select_for_update().filter(slug=SLUG).first()
    if study is not None:
        return study
    admin = people[Role.ADMIN]
    study = designing.create_study(
        dataset=dataset,
        slug=SLUG,
        actor=admin,
        title="Areas of law in everyday problems (demo)",
        instructions=INSTRUCTIONS,
        **settings_of_preset("original", dataset=dataset) | {"asks_guess": True, "seed": SEED},
    )
    members = {
        role: lifecycle.add_member(study=study, user=people[role], role=role, actor=admin)
        for role in (Role.ADMIN, Role.RESEARCHER, Role.EXPERT)
    }
    designing.apply_plan(study=study, actor=admin)
    expert = members[Role.EXPERT]
    mine = designing.least_covered(study=study, expert=expert, count=OWN_ASSIGNMENTS)
    designing.assign_named(study=study, expert=expert, comparisons=mine, actor=admin)
    simulated = add_simulated_experts(study=study, count=needed_experts(study=study), actor=admin)
    give_places(study=study, experts=simulated, actor=admin)
    give_key(study=study, phase=Phase.MAIN, key=KEY, actor=admin)
    return lifecycle.change_state(study=study, to=StudyState.OPEN, actor=admin)
