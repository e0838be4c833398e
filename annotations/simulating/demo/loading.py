"""Load the demo: dataset, systems, study, people, and simulated answers. What already exists is reused."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from annotations import designing
from annotations.designing import lifecycle
from annotations.designing.keys import give_key
from annotations.designing.starting import settings_of_preset
from annotations.ground.progress import Progress, silent
from annotations.importing.datasets import import_dataset, import_predictions
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
from annotations.simulating.demo.judgements import METHODS, annotate, simulate_systems
from annotations.simulating.demo.people import make_people
from annotations.simulating.demo.real_files import FoundData
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS, latent_shares, load_search_words, load_texts
from annotations.simulating.responses import add_simulated_experts, give_places, needed_experts, simulate_responses

KEY = b"Of the demo alone: known to all."  # so that every demo is the same
SLUG = "demo"

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


def load_demo(*, progress: Progress = silent) -> Demo:
    """Make sure that the whole demo exists. Interrupted or repeated, it ends in the same state."""
    progress(0, 0, "texts, lawyers and systems")
    dataset = load_dataset()
    people = make_people()
    progress(0, 0, "plan")
    study = open_study(
        dataset=dataset,
        people=people,
        slug=SLUG,
        title="Areas of law in everyday problems (demo)",
        instructions=INSTRUCTIONS,
        key=KEY,
    )
    return _answered(study, people, progress)


def _answered(study: Study, people: dict[Role, User], progress: Progress) -> Demo:
    answers = 0
    if study.accepts_responses:
        answers = simulate_responses(study=study, actor=people[Role.ADMIN], progress=progress)
    return Demo(study=study, people=people, answers_added=answers)


def load_dataset() -> Dataset:
    """The demo's dataset with its 26 systems. One loaded before, even by an earlier version, stays as it is."""
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


SEED = 2026
OWN_ASSIGNMENTS = 28  # for the person who signs in as the expert


@transaction.atomic
def open_study(
    *, dataset: Dataset, people: dict[Role, User], slug: str, title: str, instructions: str, key: bytes | None = None
) -> Study:
    """The open study, created if missing, with every place assigned: some to whoever tries the expert's role, the
    others to simulated experts. `key`: the key that draws the sides; by default a random one.
    """
    study: Study | None = Study.objects.select_for_update().filter(slug=slug).first()
    if study is not None:
        return study
    admin = people[Role.ADMIN]
    study = designing.create_study(
        dataset=dataset,
        slug=slug,
        actor=admin,
        title=title,
        instructions=instructions,
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
    if key is not None:
        give_key(study=study, phase=Phase.MAIN, key=key, actor=admin)
    return lifecycle.change_state(study=study, to=StudyState.OPEN, actor=admin)


REAL_INSTRUCTIONS = """\
**This is a demo.** The texts and the predictions are real; all the answers but yours are simulated.

For each text:

1. Choose the labels that fit it.
2. Then look at two descriptions of the same text, **A** and **B**. Each says how many in a hundred people would
   choose a label. Say which of them is more accurate: one, both, or neither.

There is no right answer. You may stop at any time: you will come back to the same place.
"""


def load_real_demo(data: FoundData, *, progress: Progress = silent) -> Demo:
    """Import somebody's own datasets and predictions, with a study of them. Interrupted or repeated, it ends in the
    same state.

    Raises:
        HLVError: a file has changed since it was used for a demo in the same database, or cannot be stored.
    """
    people = make_people()
    admin = people[Role.ADMIN]
    for real in data.datasets:
        import_dataset(
            files=real.files, slug=real.slug, title=real.title, format_name=real.format, actor=admin, progress=progress
        )
        dataset = Dataset.objects.get(slug=real.slug)
        for name, files in real.predictions:
            import_predictions(files=files, dataset=dataset, format_name=name, actor=admin, progress=progress)
    chosen = data.chosen
    progress(0, 0, "plan")
    study = open_study(
        dataset=Dataset.objects.get(slug=chosen.slug),
        people=people,
        slug=chosen.slug,
        title=f"{chosen.title} (demo)",
        instructions=REAL_INSTRUCTIONS,
    )
    return _answered(study, people, progress)
