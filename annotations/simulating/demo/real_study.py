"""A demo with somebody's own files: their datasets and predictions, one study, and simulated answers marked as such."""

from __future__ import annotations

from annotations.ground.progress import Progress, silent
from annotations.importing.datasets import import_dataset, import_predictions
from annotations.models import Dataset, Role
from annotations.simulating.demo.loading import Demo
from annotations.simulating.demo.opening import open_study
from annotations.simulating.demo.people import make_people
from annotations.simulating.demo.real_files import FoundData
from annotations.simulating.responses import simulate_responses

INSTRUCTIONS = """\
**This is a demo.** The texts and the predictions are real; all the answers but yours are simulated.

For each text:

1. Choose the labels that fit it.
2. Then look at two descriptions of the same text, **A** and **B**. Each says how many in a hundred people would
   choose a label. Say which of them is more accurate: one, both, or neither.

There is no right answer. You may stop at any time: you will come back to the same place.
"""


def load_real_demo(found: FoundData, *, progress: Progress = silent) -> Demo:
    """Make sure that everything found is imported, with a study of it. Interrupted or repeated, it ends in the same
    state.

    Raises:
        HLVError: a file has changed since it was used for a demo in the same database, or cannot be stored.
    """
    people = make_people()
    admin = people[Role.ADMIN]
    for one in found.datasets:
        import_dataset(
            files=one.files, slug=one.slug, title=one.title, format_name=one.format, actor=admin, progress=progress
        )
        dataset = Dataset.objects.get(slug=one.slug)
        for name, files in one.predictions:
            import_predictions(files=files, dataset=dataset, format_name=name, actor=admin, progress=progress)
    chosen = found.chosen
    progress(0, 0, "plan")
    study = open_study(
        dataset=Dataset.objects.get(slug=chosen.slug),
        people=people,
        slug=chosen.slug,
        title=f"{chosen.title} (demo)",
        instructions=INSTRUCTIONS,
    )
    answers = 0
    if study.accepts_responses:
        answers = simulate_responses(study=study, actor=admin, progress=progress)
    return Demo(study=study, people=people, answers_added=answers)
