"""The sides of a bundle: drawn again if the study was closed; otherwise one line says why they are not."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from annotations.background.kept_files import write
from annotations.designing.lifecycle import change_state
from annotations.ground.fingerprints import matrix_fingerprint
from annotations.models import StudyState, System
from metaeval.bundles import layout
from metaeval.bundles.archive import BundleError
from metaeval.bundles.verifying import Equality, verify
from metaeval.documents.making import document_chunks
from metaeval.documents.models import DocumentKind
from metaeval.management.commands.verify_bundle import EQUAL
from tests.worlds.answering import complete_all
from tests.worlds.datasets import make_dataset
from tests.worlds.studies import make_open_study

pytestmark = pytest.mark.django_db
SAYS = "Every side was drawn by the key whose hash was published: "


@pytest.fixture(scope="module")
def bundles(django_db_setup, django_db_blocker, tmp_path_factory):
    """Bundles of one study before it was closed and afterwards."""
    folder = tmp_path_factory.mktemp("sides")
    with django_db_blocker.unblock(), transaction.atomic():
        dataset = make_dataset(instances=16)
        for system in dataset.systems.all():
            System.objects.filter(pk=system.pk).update(fingerprint=matrix_fingerprint(system.predictions))
        study = make_open_study(dataset=dataset, experts=2, instances_per_system=8, experts_per_comparison=2)
        for expert in study.memberships.experts().select_related("user"):
            complete_all(expert.user)
        write(folder / "open.zip", document_chunks(study, DocumentKind.BUNDLE))
        study = change_state(study=study, to=StudyState.CLOSED)
        write(folder / "closed.zip", document_chunks(study, DocumentKind.BUNDLE))
        turns = study.assignments.exclude(turn=None).count()
        transaction.set_rollback(True)
    return {"open": folder / "open.zip", "closed": folder / "closed.zip", "turns": turns}


@pytest.fixture
def bundle(bundles):
    """Of the closed study: what `content` and `changed` begin with here."""
    return bundles["closed"]


@pytest.fixture
def rows(content):
    """The cells of data/turns.csv."""
    return [line.split(",") for line in content[layout.TURNS].decode().splitlines()]


def sides(path):
    """What is found of them; everything else holds."""
    [finding, *more] = verify(path)[3:]
    assert more == []
    return finding


def table(rows):
    return "".join(",".join(row) + "\r\n" for row in rows).encode()


def refused(path, capsys):
    with pytest.raises(CommandError, match="are not equal"):
        call_command("verify_bundle", str(path))
    return capsys.readouterr().out


def test_the_sides_of_a_closed_study_are_drawn_again(bundle, bundles, capsys):
    assert bundles["turns"] > 20
    call_command("verify_bundle", str(bundle))
    out = capsys.readouterr().out
    assert f"{SAYS}{bundles['turns']} turns.\n" in out
    assert EQUAL in out


def test_a_side_that_was_turned_round_is_named(changed, content, rows, capsys):
    lines = [line.split(",") for line in content[layout.ANSWERS].decode().splitlines()]
    place, at = [row[0] for row in rows].index("3"), lines[0].index("first_is_a")
    lines[place][at] = "false" if lines[place][at] == "true" else "true"
    out = refused(changed({layout.ANSWERS: table(lines)}, rehash=True), capsys)
    assert "source was A, but the key draws the other one" in out
    assert SAYS not in out


def test_a_turn_that_was_left_out_is_named(changed, rows, capsys):
    rows[[row[0] for row in rows].index("3")] = ["", "", ""]
    assert "turns are told before it" in refused(changed({layout.TURNS: table(rows)}, rehash=True), capsys)


def test_two_turns_that_changed_places_are_named(changed, content, rows):
    lines = [line.split(",") for line in content[layout.ANSWERS].decode().splitlines()]
    side, expert = lines[0].index("first_is_a"), lines[0].index("expert")
    mine = [place for place, line in enumerate(lines) if line[expert] == "0" and rows[place][0]]
    one, other = next((a, b) for a in mine for b in mine if lines[a][side] < lines[b][side])
    rows[one], rows[other] = rows[other], rows[one]
    found = sides(changed({layout.TURNS: table(rows)}, rehash=True))
    assert found.verdict == Equality.DIFFERS
    assert any("the key draws the other one" in detail for detail in found.details)


@pytest.mark.parametrize("change", [{"key": "00" * 32}, {"sha256": "ab" * 32}, {"key": None}, {"name": "another"}])
def test_a_changed_key_hash_or_name_is_found(changed, content, change):
    record = json.loads(content[layout.SIDES])
    [main] = [one for one in record["keys"] if one["phase"] == "main"]
    main.update(change)
    found = sides(changed({layout.SIDES: json.dumps(record).encode()}, rehash=True))
    assert found.verdict == Equality.DIFFERS
    assert found.details


def test_a_key_that_is_none_is_refused(changed, content):
    record = json.loads(content[layout.SIDES])
    record["keys"][0]["key"] = "no key"
    with pytest.raises(BundleError, match="keys and turns"):
        verify(changed({layout.SIDES: json.dumps(record).encode()}, rehash=True))


def test_of_a_study_that_is_not_closed_one_line_says_why_not(bundles, capsys):
    call_command("verify_bundle", str(bundles["open"]))
    out = capsys.readouterr().out
    assert "not checked          sides: the study was not closed, so their key has not been published yet\n" in out
    assert EQUAL in out


def test_a_bundle_of_before_there_were_keys_says_so_and_one_that_lost_half_of_it_is_refused(changed, content, capsys):
    def without(*names):
        package = json.loads(content["datapackage.json"])
        package["resources"] = [one for one in package["resources"] if one["path"] not in names]
        return changed({"datapackage.json": json.dumps(package).encode()}, rehash=True, without=names)

    call_command("verify_bundle", str(without(layout.SIDES, layout.TURNS)))
    assert "sides: the bundle comes from a version without keys and turns\n" in capsys.readouterr().out
    with pytest.raises(CommandError, match="has no keys and turns"):
        call_command("verify_bundle", str(without(layout.SIDES)))


def test_sides_of_another_origin_are_counted_apart(changed, content, rows):
    earlier = [rows[0], *([row[0], row[1], row[2].replace("2", "1")] for row in rows[1:])]
    found = sides(changed({layout.TURNS: table(earlier)}, rehash=True))
    assert found.verdict == Equality.NOT_CHECKED
    assert "no key drew one" in found.what
