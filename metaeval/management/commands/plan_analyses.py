"""`manage.py plan_analyses SLUG`: show, write or read the analysis plan of a study."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.management.console import QuickCommand, study_of
from metaeval.analyses.base.result import plan_digest
from metaeval.jobs.models import StampedPlan
from metaeval.jobs.planning import planned_rows, set_plan


class Command(QuickCommand):
    help = "Show the analysis plan of a study, replace it from a file, or write it to one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="SLUG", help="The study's slug.")
        parser.add_argument(
            "--set",
            type=Path,
            metavar="FILE",
            help=('Replace the plan with that of a JSON file: [{"analysis", "parameters", "seed", "note"}, ...].'),
        )
        parser.add_argument("--out", type=Path, metavar="FILE", help="Write the plan as JSON.")

    def act(self, **options: Any) -> None:
        study = study_of(options["study"])
        if options["set"]:
            set_plan(study=study, planned=_read(options["set"]))
        stamped = StampedPlan.objects.filter(study=study).first()
        content = stamped.content if stamped else planned_rows(study)
        for place, row in enumerate(content, start=1):
            self.stdout.write(f"{place}. {row['analysis']} seed {row['seed']} {row['note']}".rstrip())
            self.stdout.write(f"   {json.dumps(row['parameters'], sort_keys=True)}")
        if stamped:
            self.stdout.write(f"Fixed at {stamped.at:%Y-%m-%d %H:%M} UTC, sha256:{stamped.sha256}")
        elif content:
            self.stdout.write(f"Not fixed yet; its current content: sha256:{plan_digest(content)}")
        else:
            self.stdout.write("Nothing planned.")
        if path := options["out"]:
            path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            self.stdout.write(f"Wrote {path}")


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandError(f"{path} could not be read as JSON: {error}.") from error
    if not isinstance(content, list) or not all(isinstance(row, dict) and "analysis" in row for row in content):
        raise CommandError(f'{path} must hold a list of objects with "analysis", "parameters", "seed" and "note".')
    return content
