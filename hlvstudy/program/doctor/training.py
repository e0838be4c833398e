"""Whether models can be trained here, and which jobs workers take."""

from collections.abc import Iterator

from django.conf import settings

from hlvstudy.program.doctor.findings import Diagnosis, look, well, wrong
from metaeval.training.extra import INSTALL, QUEUE, absent, versions


def training() -> Iterator[Diagnosis]:
    """The packages are optional, so their absence is wrong only where a worker is to train."""
    lacking = ", ".join(absent())
    if lacking and QUEUE in settings.HLV_WORKER_QUEUES:
        yield wrong(
            "HLV_WORKER_QUEUES",
            f"Workers of this machine are to take jobs from the queue {QUEUE}, and {lacking} cannot be imported.",
            f"Run: {INSTALL}; or remove {QUEUE} from HLV_WORKER_QUEUES.",
        )
    elif lacking:
        yield well("Training", f"Nothing can be trained on this machine ({INSTALL} adds what it needs).")
    else:
        yield well("Training", f"Models can be trained on this machine (torch {versions().get('torch', '')}).")


def queues() -> Iterator[Diagnosis]:
    """Which queues exist, which the settings name, and which workers take jobs from."""
    from django.db import DatabaseError

    from annotations.background.jobs import job_models, queues_taken

    try:
        taken = set(queues_taken())
    except DatabaseError:  # of which the database's finding tells
        return
    known = {QUEUE, *(model.queue for model in job_models())}
    for name in sorted(set(settings.HLV_WORKER_QUEUES) - known):
        yield wrong(
            "HLV_WORKER_QUEUES",
            f"There is no queue {name}.",
            f"Name some of these, separated by commas: {', '.join(sorted(known))}.",
        )
    if taken and QUEUE not in taken and not absent():
        yield look(
            "Training",
            f"No worker takes jobs from the queue {QUEUE}, although models could be trained on this machine.",
            f"If somebody wants to train models, start one: hlvstudy worker -Q {QUEUE} --concurrency 1",
        )
    elif taken:
        yield well("Queues", f"Workers take jobs from these: {', '.join(sorted(taken))}.")
