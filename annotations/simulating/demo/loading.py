"""Load the demo: dataset, systems, study, people, and simulated answers. What already exists is reused."""

from __future__ import annotations

from dataclasses import dataclass

from annotations.ground.progress import Progress
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
from annotations.models import Dataset, Role, Study, Task, User
from annotations.simulating.demo.lawyers import annotate
from annotations.simulating.demo.opening import SEED, open_study
from annotations.simulating.demo.people import make_people
from annotations.simulating.demo.systems import METHODS, simulate_systems
from annotations.simulating.demo.texts import EXCLUSIVE_LABEL, LABELS, latent_shares, load_search_words, load_texts
from annotations.simulating.responses import simulate_responses

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


def load_demo(*, progress: Progress | None = None) -> Demo:
    """Make sure that the whole demo exists. Interrupted or repeated, it ends in the same state."""
    say = progress or (lambda done, total, message: None)
    say(0, 0, "texts, lawyers and systems")
    dataset = load_dataset()
    people = make_people()
    say(0, 0, "plan")
    study = open_study(
        dataset=dataset,
        people=people,
        slug=SLUG,
        title="Areas of law in everyday problems (demo)",
        instructions=INSTRUCTIONS,
        key=KEY,
    )
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
