"""Plan a study: show the plan, and store it with --apply."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email
from django.db import transaction

from annotations import designing
from annotations.designing.overview import Overview, SystemRow
from annotations.ground.display_rule import DISPLAY_RULE, STEPS_BY_NAME
from annotations.management.console import StudyCommand, actor_of
from annotations.models import Assigning, Compares, Dataset, GiveAways, Role, Runs, Study
from annotations.people.membership.members import add_by_email

AUTOMATIC = "automatic"  # the former name of `grid`, before there were three ways


def _step(text: str) -> float | str:
    return "grid" if text == AUTOMATIC else text if text in STEPS_BY_NAME else float(text)


class Command(StudyCommand):
    help = (
        "Show which instances would be shown for which system, and how much each expert would do. With --apply, "
        "the study is created if it does not exist yet (--dataset says on what), and the plan is stored. A draft that "
        "nobody has begun to answer can be planned again as often as needed."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--apply", action="store_true", help="store the plan; without this option nothing changes")
        parser.add_argument("--dataset", help="the slug of the dataset, for a study that does not exist yet")
        parser.add_argument("--admin", metavar="EMAIL", help="who runs the study")
        parser.add_argument("--experts-from", metavar="FILE", help="add these experts: one e-mail address per line")
        settings = parser.add_argument_group("settings (an existing draft keeps those that are not given)")
        settings.add_argument("--title")
        settings.add_argument("--instructions", metavar="FILE", help="a Markdown file")
        settings.add_argument("--consent", metavar="FILE", help="a Markdown file: what experts agree to")
        settings.add_argument("--question-labels", metavar="TEXT", help="asked in step 1")
        settings.add_argument("--question-preference", metavar="TEXT", help="asked in step 2")
        settings.add_argument("--language", metavar="TAG", help="of the experts' pages, such as de; else the texts'")
        settings.add_argument("--direction", choices=["ltr", "rtl"], help="of the experts' pages; else the language's")
        settings.add_argument("--compares", choices=Compares.values)
        settings.add_argument("--systems", nargs="+", metavar="NAME", help="compare only these; default: all")
        settings.add_argument("--assigning", choices=Assigning.values)
        settings.add_argument(
            "--single-runs",
            dest="runs",
            action="store_const",
            const=Runs.SINGLE.value,
            help=(
                "treat every run as a separate system; by default the mean of the runs of one model and "
                "method is compared"
            ),
        )
        settings.add_argument(
            "--average-runs", dest="runs", action="store_const", const=Runs.AVERAGED.value, help="the default"
        )
        settings.add_argument("--instances-per-system", type=int, metavar="N")
        settings.add_argument("--experts-per-comparison", type=int, metavar="N")
        settings.add_argument(
            "--display-threshold", type=float, metavar="SHARE", help="only labels above this share are drawn"
        )
        settings.add_argument(
            "--display-step",
            type=_step,
            metavar="SHARE",
            help="shown values are multiples of it; grid (the default): of one person's share in each text; exact: "
            "whole percentages. The plan shows what each costs and gives away",
        )
        settings.add_argument(
            "--give-aways",
            choices=GiveAways.values,
            help="texts on which a system's side can only be a system's: kept and counted, or others drawn instead",
        )
        settings.add_argument(
            "--asks-guess",
            action=argparse.BooleanOptionalAction,
            default=None,
            help="at the end ask experts which side was people's",
        )
        settings.add_argument("--seed", type=int, help="drawn at random and stored if not specified")

    def act(self, **options: Any) -> None:
        settings = {name: options[name] for name in designing.SETTINGS if options.get(name) is not None}
        for name in {"instructions", "consent"} & set(settings):
            settings[name] = self.read(settings[name])
        addresses = self.addresses(options["experts_from"])
        if options["apply"]:
            study = self.apply(options, settings, addresses)
            plan, end = designing.overview(study=study), self.style.SUCCESS("The plan is stored.")
        elif not settings and Study.objects.filter(slug=options["study"], comparisons__isnull=False).exists():
            study = self.chosen(options)
            plan, end = designing.overview(study=study), "This is the stored plan."
        else:
            study = self.imagine(options, settings)
            more = len(self.newcomers(study, addresses))
            plan = designing.of_plan(designing.propose(study=study, more_experts=more), study=study)
            end = "Nothing was stored. Use --apply to store this plan."
        seed = f"seed {study.seed}" if study.pk or options["seed"] is not None else "a new seed each time"
        self.stdout.write(
            f"Study {study.slug} on {study.dataset.slug}: {study.compares}, {study.assigning}, {seed}.\n\n"
        )
        self.stdout.write(f"{as_text(plan)}\n\n{end}")

    @transaction.atomic
    def apply(self, options: dict[str, Any], settings: dict[str, Any], addresses: list[str]) -> Study:
        """Study, people and plan are stored together or not at all."""
        study = self.make(options, settings)
        for email in addresses:
            add_by_email(study=study, email=email, role=Role.EXPERT, actor=actor_of(options["by"]))
        designing.apply_plan(study=study, actor=actor_of(options["by"]))
        return study

    def make(self, options: dict[str, Any], settings: dict[str, Any]) -> Study:
        """The study, stored with these settings."""
        if Study.objects.filter(slug=options["study"]).exists():
            study = designing.change_settings(study=self.chosen(options), **settings)
        else:
            study = designing.create_study(dataset=self.dataset(options), slug=options["study"], **settings)
        if options["admin"]:
            add_by_email(study=study, email=options["admin"], role=Role.ADMIN, actor=actor_of(options["by"]))
        return study

    def imagine(self, options: dict[str, Any], settings: dict[str, Any]) -> Study:
        """The same, only in memory."""
        if not Study.objects.filter(slug=options["study"]).exists():
            return designing.draft(dataset=self.dataset(options), slug=options["study"], **settings)
        study = self.chosen(options)
        designing.put_settings(study, settings)
        study.display_rule = DISPLAY_RULE  # as a new plan would have it
        return study

    def chosen(self, options: dict[str, Any]) -> Study:
        study = self.existing(options["study"])
        if options["dataset"] not in {None, study.dataset.slug}:
            raise CommandError(f"The study {study.slug} is about {study.dataset.slug}; choose another slug.")
        return study

    def dataset(self, options: dict[str, Any]) -> Dataset:
        if options["dataset"] is None:
            raise CommandError(f"There is no study {options['study']!r} yet. Specify the --dataset to create it on.")
        dataset: Dataset | None = Dataset.objects.filter(slug=options["dataset"]).first()
        if dataset is None:
            slugs = ", ".join(Dataset.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no dataset {options['dataset']!r}. There are: {slugs}.")
        return dataset

    def newcomers(self, study: Study, addresses: list[str]) -> set[str]:
        if not study.pk:
            return set(addresses)
        return set(addresses) - set(study.memberships.values_list("user__email", flat=True))

    def read(self, file: str) -> str:
        try:
            return Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}") from error

    def addresses(self, file: str | None) -> list[str]:
        """The addresses in a file; empty lines and lines that begin with # are ignored."""
        if file is None:
            return []
        lines = [line.strip() for line in self.read(file).splitlines()]
        for number, line in enumerate(lines, start=1):
            if line and not line.startswith("#"):
                try:
                    validate_email(line)
                except ValidationError:
                    raise CommandError(f"{file}, line {number}: {line!r} is not an e-mail address.") from None
        return [line for line in lines if line and not line.startswith("#")]


WIDTH = 100


def as_text(plan: Overview) -> str:
    """The plan as lines for a terminal.

    Each column of the matrix is one instance, or a few neighbouring ones if they do not all fit; a digit says on how
    many of them the system is shown (`+`: more than nine, `.`: none).
    """
    weighed = ["", *_choices(plan)] if plan.choices else []
    warnings = [f"\nWARNING: {warning}" for warning in plan.warnings]
    return "\n".join([*_matrix(plan), "", *_experts(plan), "", plan.statement, *weighed, *warnings])


def _matrix(plan: Overview) -> Iterator[str]:
    together = max(1, -(-plan.instances // WIDTH))
    name = max([len(row.name) for row in plan.systems] + [len("system")])
    what = "one instance per column" if together == 1 else f"{together} instances per column"
    yield f"{'system':{name}}  instances  done  where ({what}, {plan.instances} in all)"
    for row in plan.systems:
        done = f"{row.completed}/{row.places}"
        yield f"{row.name:{name}}  {row.instances:9}  {done:>4}  {_line(row, plan.instances, together)}"


def _line(row: SystemRow, instances: int, together: int) -> str:
    counts = [0] * -(-instances // together)
    for cell in row.cells:
        counts[cell.instance // together] += 1
    return "".join("." if count == 0 else str(count) if count < 10 else "+" for count in counts)


CHOICES_SAY = """\
What each way to draw costs and gives away (*: this study's).
off: points between a drawn bar of a prediction and the prediction
low: bars of shares that are not above the threshold
same: comparisons whose two sides look the same
told: how often one could guess people's side (chance is 50%) from the number of people who judged each text
      (by grid), and, at least, after learning from other texts (learned)"""


def _choices(plan: Overview) -> Iterator[str]:
    """What each way of drawing costs and reveals; the study's own is marked."""
    name = max(len(choice.name) for choice in plan.choices)
    yield from CHOICES_SAY.splitlines()
    yield (
        f"  {'bars are drawn in':{name}}  {'mean off':>8} {'95% off':>7} {'most off':>8} {'off > 5':>7} {'low':>5} "
        + (f"{'same':>5} {'told by grid':>12} {'learned':>7}")
    )
    for choice in plan.choices:
        cost, mark = choice.distortion, "*" if choice.is_chosen else " "
        off = f"{_points(cost.mean):>8} {_points(cost.p95):>7} {_points(cost.most):>8} {_share(cost.far):>7}"
        guessed = f"{_share(choice.by_grid):>12} {_share(choice.learned):>7}"
        yield f"{mark} {choice.name:{name}}  {off} {cost.below:>5} {cost.identical:>5} {guessed}"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _experts(plan: Overview) -> Iterator[str]:
    if not plan.experts:
        yield "No expert has anything yet."
        return
    yield "expert  load  done"
    for expert in plan.experts:
        yield f"{expert.number:6}  {expert.assigned:4}  {expert.completed:4}"
