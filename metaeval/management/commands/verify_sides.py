"""`manage.py verify_sides WHAT`: draw every side of a study again by its key, and say what differs."""

import argparse
import zipfile
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.exporting.rows import ResponseSource
from annotations.ground.sides import ShownTurn, StatedKey, commitment, draw_again
from annotations.importing.responses.study_responses import sides_in_export
from annotations.management.console import SHOWN, QuickCommand
from annotations.models import Assignment, Event, EventKind, SideOrder, Study
from metaeval.bundles import layout
from metaeval.bundles.rebuilding import told_in_bundle

AS_DRAWN = "Every side is as the key draws it."


class Command(QuickCommand):
    help = (
        "Draw every side again by the study's key, and check the key against its SHA-256; exits with 1 "
        "if anything differs. A file is read without a database."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "what", help="a bundle, an export (study_responses; a folder or its zip archive), or a study's slug"
        )
        parser.add_argument(
            "--sha256",
            action="append",
            default=[],
            metavar="HEX",
            help="a key's SHA-256 as you noted it when the study (or its pilot) opened; repeatable",
        )

    def act(self, **options: Any) -> None:
        keys, turns = _told(options["what"])
        checked = draw_again(keys, turns)
        stated = {one.sha256 for one in keys}
        found = [*checked.differences]
        found += [f"no key has the SHA-256 {noted}" for noted in options["sha256"] if noted.lower() not in stated]
        for key in keys:
            self.stdout.write(f"key of {key.phase:<6} SHA-256 {key.sha256}{'' if key.key else ' (not told yet)'}")
        self.stdout.write(f"{checked.drawn:,} sides drawn again; {checked.earlier:,} that no key of this study drew")
        for difference in found[:SHOWN]:
            self.stdout.write(f"differs: {difference}")
        if found:
            raise CommandError(f"{len(found)} things differ.")
        self.stdout.write(AS_DRAWN)


def _told(what: str) -> tuple[list[StatedKey], list[ShownTurn]]:
    path = Path(what)
    if path.exists():
        return told_in_bundle(path) if _is_bundle(path) else sides_in_export(path)
    study = Study.objects.filter(slug=what).select_related("dataset").defer("dataset__gold").first()
    if study is None:
        raise CommandError(f"{what!r} is not a file, a folder or a study.")
    return _of_study(study)


def _is_bundle(path: Path) -> bool:
    if path.is_dir() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return layout.VERSIONS in archive.namelist()


def _of_study(study: Study) -> tuple[list[StatedKey], list[ShownTurn]]:
    """The keys and turns in the database; the SHA-256 is what the log stated when the key was created."""
    logged = Event.objects.filter(study=study, kind=EventKind.SIDES_COMMITTED).order_by("pk")
    stated = {event.data["phase"]: event.data["sha256"] for event in logged}
    keys = []
    for side_key in study.side_keys.all():
        key = bytes(side_key.key)
        keys.append(StatedKey(side_key.phase, side_key.name, stated.get(side_key.phase, commitment(key)), key.hex()))
    source = ResponseSource(study)
    places = Assignment.objects.filter(study=study, turn__isnull=False).order_by("expert__number", "phase", "turn")
    fields = ("expert__number", "phase", "turn", "side_rule", "side_order")
    sources = ("comparison__first_system", "comparison__second_system")
    turns = [
        ShownTurn(expert, phase, turn, rule, source.sides(first, second, order)[2] == SideOrder.FIRST_IS_A)
        for expert, phase, turn, rule, order, first, second in places.values_list(*fields, *sources)
    ]
    return keys, turns
