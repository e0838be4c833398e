"""Exporting a dataset's pairwise votes: what a format is, what it reads, and the use case, which is recorded as an
event.

The reader `pairwise` reads what is written: imported again, it is the same dataset, with the same fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotations.exporting.cells import to_json
from annotations.exporting.formats import ExportFile, encoded
from annotations.exporting.spreadsheets import csv_lines
from annotations.ground.errors import HLVError, NotAllowed
from annotations.ground.registry import Registry
from annotations.history import events
from annotations.history.looks import look
from annotations.models import Dataset, EventKind, User

COLUMNS = ("instance", "first", "second", "judge", "judge_kind", "outcome", "certainty")
CHUNK = 2000
FILES = {
    "votes.csv": "The votes in the order in which they came: the instance, the two systems, the judge (`person` or "
    "`machine`), the outcome (`first`, `second`, `tie`, `tie_inconsistent`), and the certainty (empty: not given).",
    "votes.jsonl": "The same as JSON lines.",
    "instances.jsonl": "The instances that the votes are about, with their texts.",
}
"""What each file contains. Imported again, they make the same dataset, with the same fingerprint."""
VoteRow = tuple[str, str, str, str, str, str, float | None]


class NoVotes(HLVError):
    """The dataset contains no pairwise votes."""

    status = 404


class VoteSource:
    """What a format may read from a dataset. Rows are streamed."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    def rows(self) -> Iterator[VoteRow]:
        """All votes in the order imported, with columns as named in `COLUMNS`."""
        votes = self.dataset.votes.order_by("position").values_list(
            "instance__external_id", "first", "second", "judge__code", "judge__is_machine", "outcome", "certainty"
        )
        for instance, first, second, judge, is_machine, outcome, certainty in votes.iterator(chunk_size=CHUNK):
            yield instance, first, second, judge, "machine" if is_machine else "person", outcome, certainty

    def instances(self) -> Iterator[str]:
        """All instances in order, as lines of JSON."""
        instances = self.dataset.instances.order_by("position").values_list(
            "external_id", "segments", "language", "direction", "split"
        )
        for instance, segments, language, direction, split in instances.iterator(chunk_size=CHUNK):
            row = {"instance": instance, "segments": segments, "language": language, "direction": direction}
            row |= {"split": split} if split else {}
            yield to_json(row) + "\n"


@dataclass(frozen=True, slots=True)
class VoteFormat:
    """A way of writing votes."""

    name: str
    title: str
    description: str
    votes: Callable[[VoteSource], ExportFile]

    def files(self, source: VoteSource) -> list[ExportFile]:
        """The votes, and the instances they are about."""
        return [self.votes(source), ExportFile("instances.jsonl", lambda: encoded(source.instances()))]


vote_formats: Registry[VoteFormat] = Registry("annotations.exporting.*", kind="votes format")
Votes = Callable[[VoteSource], ExportFile]


def vote_exporter(name: str, *, title: str, description: str) -> Callable[[Votes], Votes]:
    """Decorator that adds a format: the function returns the file with the votes."""

    def add(votes: Votes) -> Votes:
        vote_formats.register(name)(VoteFormat(name=name, title=title, description=description, votes=votes))
        return votes

    return add


@vote_exporter(
    "csv",
    title="Votes (CSV)",
    description="One row per vote, for spreadsheets. Cells that a spreadsheet would run are neutralised.",
)
def votes_csv(source: VoteSource) -> ExportFile:
    return ExportFile("votes.csv", lambda: encoded(csv_lines(COLUMNS, source.rows())))


@vote_exporter("jsonl", title="Votes (JSON lines)", description="One object per vote, for programs.")
def votes_json_lines(source: VoteSource) -> ExportFile:
    return ExportFile(
        "votes.jsonl",
        lambda: encoded(to_json(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in source.rows()),
    )


def export_votes(*, dataset: Dataset, format_name: str, actor: User | None = None) -> list[ExportFile]:
    """The files of an export, as streams that have not started. Without an actor it is the operator at the shell.

    Raises:
        NotAllowed: the actor may not see the dataset.
        AnswersTheseTexts: the actor answers in a study of its texts.
        NoVotes: the dataset contains no votes.
        UnknownName: there is no such format.
    """
    if actor is not None and not Dataset.objects.visible_to(actor).filter(pk=dataset.pk).exists():
        raise NotAllowed(_("Only people who can see a dataset can export its votes."), dataset=dataset.slug)
    look(user=actor, datasets=[dataset.pk], what="votes")
    chosen = vote_formats.get(format_name)
    count = dataset.votes.count()
    if not count:
        raise NoVotes(
            _("Dataset {dataset} contains no pairwise votes.").format(dataset=repr(dataset.slug)), dataset=dataset.slug
        )
    events.record(EventKind.EXPORTED, actor=actor, dataset=dataset, what="votes", format=chosen.name, votes=count)
    return chosen.files(VoteSource(dataset))


def votes_archive_name(dataset: Dataset, format_name: str) -> str:
    """The file name of an export's archive, which says if the data are simulated.

    >>> votes_archive_name(Dataset(slug="mtbench"), "csv")
    'mtbench-votes-csv.zip'
    """
    return f"{dataset.slug}-votes-{format_name}{'-SIMULATED' if dataset.is_simulated else ''}.zip"
