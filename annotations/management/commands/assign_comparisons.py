"""Give comparisons to experts by name."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from annotations import designing
from annotations.management.console import StudyCommand, actor_of, person_of
from annotations.models import Comparison, Membership, Study


class Command(StudyCommand):
    help = (
        "Assign places to experts by name: listed comparisons or a number of the least covered ones to one expert, "
        "or, without --expert, all free places evenly to all experts."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--expert", metavar="EMAIL")
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--comparisons", type=int, nargs="+", metavar="POSITION", help="positions in the study's order"
        )
        what.add_argument(
            "--count", type=int, metavar="N", help="the N least covered comparisons that this expert may see"
        )

    def act(self, **options: Any) -> None:
        study, actor = self.existing(options["study"]), actor_of(options["by"])
        if options["expert"] is None:
            if options["comparisons"] or options["count"] is not None:
                raise CommandError("Specify an --expert.")
            for number, count in designing.share_places(study=study, actor=actor).items():
                self.stdout.write(f"expert {number}: {count} more")
            return
        expert = self.expert(study, options["expert"])
        chosen = self.chosen(study, expert, options)
        assigned = designing.assign_named(study=study, expert=expert, comparisons=chosen, actor=actor)
        self.stdout.write(f"{options['expert']} got {len(assigned)} comparisons.")

    def expert(self, study: Study, email: str) -> Membership:
        member = study.memberships.experts().filter(user=person_of(email)).first()
        if member is None:
            raise CommandError(f"{email} is not an expert of {study.slug}.")
        return member

    def chosen(self, study: Study, expert: Membership, options: dict[str, Any]) -> list[Comparison]:
        if options["count"] is not None:
            if options["count"] < 1:
                raise CommandError("--count must be at least 1.")
            return designing.least_covered(study=study, expert=expert, count=options["count"])
        positions = options["comparisons"]
        if not positions:
            raise CommandError("Specify --comparisons, or how many (--count).")
        by_position = {
            comparison.position: comparison for comparison in study.comparisons.filter(position__in=positions)
        }
        unknown = [position for position in positions if position not in by_position]
        if unknown:
            raise CommandError(f"The study has no comparison {', '.join(map(str, unknown))}.")
        return [by_position[position] for position in positions]
