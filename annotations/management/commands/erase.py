"""Erase a person, a text, a study or a dataset; or again what a restored backup brought back."""

import argparse
from typing import Any

from django.core.management.base import CommandError

from annotations.erasing.executing import carry_out, find, name_of, preview, reapply_erasures
from annotations.management.console import QuickCommand, actor_of, person_of
from annotations.models import Dataset, Erased, Erasure, Instance, Study, User


class Command(QuickCommand):
    help = (
        "Erase a person, a text, a study or a dataset, with everything that names it. It cannot be undone. "
        "'erase again' repeats all erasures after an older backup was restored."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("what", choices=[*Erased.values, "again"])
        parser.add_argument("names", nargs="*", help="EMAIL, DATASET and a text's ID, a study's SLUG, or a DATASET")
        parser.add_argument("--with-answers", action="store_true", help="Of a person or text: their answers too.")
        parser.add_argument("--reason", default="", help="Why, without names; it is kept.")
        parser.add_argument("--by", help="The e-mail address of the admin who does it.")
        parser.add_argument("--dry-run", action="store_true", help="List what would go, and change nothing.")
        parser.add_argument("--yes", action="store_true", help="Do not ask for the name.")

    def act(self, **options: Any) -> None:
        self._again() if options["what"] == "again" else self._erase(**options)

    def _again(self) -> None:
        done = reapply_erasures()
        self.stdout.write(
            f"Erased again: {len(done.again)}. Nothing left to erase: {len(done.gone)}. Not recognised: "
            f"{len(done.unsure)}{' (' + ', '.join(done.unsure) + ')' if done.unsure else ''}."
        )

    def _erase(self, **options: Any) -> None:
        row, actor = self._found(options["what"], options["names"]), actor_of(options["by"])
        if actor is not None and not actor.is_superuser:
            raise CommandError(f"{actor.email} is not an admin of this server.")
        with_answers = options["with_answers"]
        counts = preview(row, with_answers=with_answers, actor=actor)
        self._tell(counts.rows, len(counts.files))
        if options["dry_run"]:
            self.stdout.write("Nothing was changed.")
            return
        if not options["yes"] and input(f"Type {name_of(row)} to erase it: ").strip() != name_of(row):
            raise CommandError("That was not the name. Nothing was changed.")
        erasure = Erasure.objects.create(
            owner=actor, what=options["what"], target=row.pk, with_answers=with_answers, reason=options["reason"][:300]
        )
        carry_out(erasure)
        remaining = find(options["what"], row.pk)
        code = f" It is now {name_of(remaining)}." if remaining is not None else ""
        self.stdout.write(f"Erased.{code} Backups made before now still hold it until you delete them.")

    def _found(self, what: str, names: list[str]) -> User | Instance | Study | Dataset:
        expected = 2 if what == Erased.TEXT else 1
        if len(names) != expected:
            raise CommandError("Give a dataset and a text's id." if expected == 2 else "Give exactly one name.")
        row: User | Instance | Study | Dataset | None
        if what == Erased.PERSON:
            return person_of(names[0])
        if what == Erased.TEXT:
            row = (
                Instance.objects.select_related("dataset").filter(dataset__slug=names[0], external_id=names[1]).first()
            )
        elif what == Erased.STUDY:
            row = Study.objects.filter(slug=names[0]).first()
        else:
            row = Dataset.objects.filter(slug=names[0]).first()
        if row is None:
            raise CommandError(f"There is no {what} {' '.join(names)!r}.")
        return row

    def _tell(self, rows: dict[str, int], files: int) -> None:
        for model, number in sorted(rows.items()):
            self.stdout.write(f"{number:>8} {model}")
        self.stdout.write(f"{files:>8} stored files")
