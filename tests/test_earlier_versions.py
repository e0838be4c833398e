"""What an earlier version stored is still read and verified: its bundle, and its database under today's migrations.

Each folder of `tests/fixtures` that is named for a commit holds what that commit made; its README.md says how.
"""

import csv
import json
import lzma
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet
import pytest

from annotations.models import EventKind
from metaeval.analyses.base.registry import analyses
from metaeval.analyses.base.result import Result, result_schema
from metaeval.analyses.base.rules import CORRECTIONS
from metaeval.bundles.comparing import NOTHING, Difference, differences
from metaeval.bundles.correcting import explained
from metaeval.bundles.verifying import HOLDS, verify

pytestmark = pytest.mark.long
ROOT = Path(__file__).resolve().parents[1]
MADE = [
    folder for folder in sorted((ROOT / "tests" / "fixtures").iterdir()) if re.fullmatch("[0-9a-f]{7}", folder.name)
]

FIGURES_THEN = 29
"""So many kinds of figures the earlier results have: all that there were."""

NEVER_WRITTEN = {
    EventKind.DELETED,
    EventKind.ERASED,
    EventKind.SIGNED_IN,
    EventKind.SIGN_IN_FAILED,
    EventKind.LOCKED_OUT,
    EventKind.SIGNED_OUT,
    EventKind.SESSIONS_ENDED,
    EventKind.IDENTITIES_DUE,
    EventKind.TRAINED,
    EventKind.SECOND_FACTOR_ON,
    EventKind.SECOND_FACTOR_OFF,
    EventKind.SECOND_STEP_FAILED,
    EventKind.PROVIDER_CONNECTED,
    EventKind.PROVIDER_DISCONNECTED,
    EventKind.PASSKEY_ADDED,
    EventKind.PASSKEY_REMOVED,
    EventKind.RECOVERY_CODES_MADE,
    EventKind.RECOVERY_CODE_USED,
    EventKind.REPLACED,
    EventKind.SIDES_COMMITTED,
    # There is no such act in what the earlier versions could do.
    EventKind.STUDY_CREATED,
    EventKind.SETTINGS_CHANGED,
    EventKind.PLACES_ADDED,
    EventKind.ROLE_CHANGED,
    EventKind.MEMBER_LEFT,
    EventKind.MEMBER_RETURNED,
    EventKind.PROFILE_CHANGED,
    EventKind.REMINDED,
    EventKind.TOLD,
    EventKind.MAIL_FAILED,
    EventKind.PASSWORD_CHANGED,
    EventKind.SYSTEM_PAUSED,
    EventKind.SYSTEM_RESUMED,
    EventKind.ARCHIVED,
    EventKind.UNARCHIVED,
    EventKind.DATASET_CHANGED,
    EventKind.ROLES_CHANGED,
    EventKind.ACCOUNT_CLOSED,
    EventKind.ACCOUNT_REOPENED,
    EventKind.STEPPED_IN,
}
OF_THE_MOMENT = {"worker_alive", "statement", "description"}
"""Whether a worker is there, and what today's program has to say about a plan and about the formats that it knows."""
PILOT_APART = re.compile(r"(progress\.(done|total)|\.(assigned|completed|places|claimed))$")
"""What the pilot used is no longer counted among the main study's places and answers."""
LAST_DIGITS = 1e-9
"""The fixtures were made on one processor; on another one sums and logarithms end in other digits (docs/results.md)."""


@dataclass(frozen=True)
class Earlier:
    """What an earlier version made, and what today's made of a copy of it."""

    made: Path
    copy: Path
    read: dict[str, Any]

    def rows(self, query: str, *, migrated: bool = True) -> list[dict[str, Any]]:
        """Of the database as it was made, or after today's migrations."""
        with sqlite3.connect(self.copy / ("migrated.sqlite3" if migrated else "made.sqlite3")) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(query)]

    def runs(self) -> list[dict[str, Any]]:
        """Every run that has a result, with JSON read."""
        found = self.rows("SELECT * FROM metaeval_analysisrun WHERE state = 'succeeded' ORDER BY created_at")
        return [
            {**run, **{name: json.loads(run[name]) for name in ("result", "figures", "parameters")}} for run in found
        ]


@pytest.fixture(scope="module", params=MADE, ids=lambda folder: folder.name)
def earlier(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Earlier:
    """A process of its own opens a copy of the database, as a server does after an upgrade."""
    copy = tmp_path_factory.mktemp(request.param.name)
    raw = lzma.decompress((request.param / "hlvstudy.sqlite3.xz").read_bytes())
    for name in ("hlvstudy.sqlite3", "made.sqlite3"):
        (copy / name).write_bytes(raw)
    kept = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "CELERY_BROKER_URL"}}
    command = [sys.executable, "-m", "tests.fixtures.reading", str(copy)]
    done = subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return Earlier(request.param, copy, json.loads((copy / "read.json").read_text()))


@pytest.mark.parametrize("made", MADE, ids=lambda folder: folder.name)
def test_its_bundle_is_verified_without_a_database(made: Path) -> None:
    found = verify(made / "bundle.zip", tolerance=LAST_DIGITS)
    unexplained = [one for one in found if one.verdict not in HOLDS]
    assert [(one.what, one.details) for one in unexplained] == []
    with zipfile.ZipFile(made / "bundle.zip") as archive:
        results = [name for name in archive.namelist() if name.startswith("results/")]
    assert [one.what for one in found[4:]] == results
    assert len(results) >= 8


def test_no_table_no_column_and_no_row_is_lost_or_changed_by_todays_migrations(earlier: Earlier) -> None:
    tables = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND (name LIKE 'annotations_%' OR name LIKE 'metaeval_%')"
    )
    names = [row["name"] for row in earlier.rows(tables, migrated=False)]
    assert len(names) == 35
    for name in names:
        columns = [
            f'"{row["name"]}"'
            for row in earlier.rows(f"PRAGMA table_info({name})", migrated=False)
            # The log refers to people by id only.
            if (name, row["name"]) != ("annotations_event", "actor_email")
        ]
        content = f"SELECT {', '.join(columns)} FROM {name} ORDER BY 1"  # noqa: S608 - names of the database's own
        before = earlier.rows(content, migrated=False)
        for row in before:
            if name == "annotations_assignment" and row["comparison_shown_at"] is None:
                row["side_order"] = ""  # nobody has seen it: it is drawn when it is shown
        after = earlier.rows(content)
        if name == "annotations_event":
            for row in (*before, *after):
                row["data"] = {key: value for key, value in json.loads(row["data"]).items() if key != "email"}
            for row in after:
                assert "@" not in str(row["data"])
        assert after == before, name


def test_what_was_shown_keeps_its_side_and_has_a_turn_and_nothing_else_has_a_side(earlier: Earlier) -> None:
    shown = "WHERE comparison_shown_at IS NOT NULL"
    before = earlier.rows(f"SELECT id, side_order FROM annotations_assignment {shown}", migrated=False)  # noqa: S608 - our tables' names
    assert earlier.rows(f"SELECT id, side_order FROM annotations_assignment {shown}") == before  # noqa: S608 - our tables' names
    assert len(before) > 200
    turns = earlier.rows(f"SELECT expert_id, phase, turn, side_rule FROM annotations_assignment {shown}")  # noqa: S608 - our tables' names
    assert {row["side_rule"] for row in turns} == {1}
    experts = {(row["expert_id"], row["phase"]) for row in turns}
    for expert in experts:
        mine = sorted(row["turn"] for row in turns if (row["expert_id"], row["phase"]) == expert)
        assert mine == list(range(len(mine)))
    others = "SELECT DISTINCT side_order, turn, phase, side_rule FROM annotations_assignment"
    assert earlier.rows(f"{others} WHERE comparison_shown_at IS NULL") == [
        {"side_order": "", "turn": None, "phase": "", "side_rule": None}
    ]
    # No trigger was lost where a table was made anew.
    triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    kept = earlier.rows(triggers, migrated=False)
    now = earlier.rows(triggers)
    opened = {"append_only_annotations_event", "append_only_decision"}  # for erasures, and for nothing else
    assert [row for row in kept if row not in now and row["name"] not in opened] == []
    assert opened <= {row["name"] for row in now}


def test_it_holds_every_kind_of_event_and_all_are_known(earlier: Earlier) -> None:
    kinds = {row["kind"] for row in earlier.rows("SELECT DISTINCT kind FROM annotations_event", migrated=False)}
    assert kinds == set(EventKind) - NEVER_WRITTEN


def test_the_api_says_all_that_it_said(earlier: Earlier) -> None:
    """It may say more; what it said stays word for word."""
    before = json.loads(lzma.decompress((earlier.made / "api.json.xz").read_bytes()))
    for address, said in before.items():
        lost = [
            str(one)
            for one in differences(said, earlier.read["said"].get(address))
            if one.path.rpartition(".")[2] not in OF_THE_MOMENT
            and not _is_more(one)
            and not PILOT_APART.search(one.path)
        ]
        assert lost == [], address
    assert len(before) > 80


def test_every_stored_result_is_answered_as_it_was_stored(earlier: Earlier) -> None:
    for run in earlier.runs():
        assert earlier.read["said"][f"/api/runs/{_uuid(run['id'])}/"]["result"] == run["result"]


def test_every_stored_result_is_read_as_todays_declaration_of_it_and_nothing_of_it_is_lost(earlier: Earlier) -> None:
    for run in earlier.runs():
        jsonschema.validate(run["result"], result_schema())
        read = analyses.get(run["analysis"]).read(run["result"])
        again = read.plain() if isinstance(read, Result) else read
        lost = [one for one in differences(run["result"], again) if not _is_more(one)]
        assert [str(one) for one in lost] == [], run["analysis"]


def test_every_analysis_of_everything_gives_the_same_again(earlier: Earlier) -> None:
    newest = {
        (run["result"]["analysis"], str(run["parameters"]), run["seed"], _about(run)): run for run in earlier.runs()
    }
    assert {run["analysis"] for run in newest.values()} <= set(analyses.names())
    for question, run in newest.items():
        again = earlier.read["again"][_uuid(run["id"])]
        entry = analyses.get(run["analysis"])
        assert again["result"]["parameters"] == entry.asked_in(run["result"]).model_dump(mode="json"), question
        seen = explained(run["result"], again["result"], tolerance=LAST_DIGITS, corrections=CORRECTIONS)
        assert [str(one) for one in seen.unexplained] == [], question
        assert known_then(run, again["figures"]) == run["figures"], question


def test_a_run_that_waited_is_done(earlier: Earlier) -> None:
    (run,) = earlier.read["waited"]
    assert (run["state"], run["analysis"], run["result"]["seed"]) == ("succeeded", "power", 8)


def test_every_stored_figure_is_known_and_one_of_each_kind_is_drawn(earlier: Earlier) -> None:
    drawn = set()
    for run in earlier.runs():
        analysis = analyses.get(run["analysis"])
        assert known_then(run, analysis.figure_names(run["result"])) == run["figures"]
        for name in run["figures"]:
            kind = (run["analysis"], name.partition("-")[0])
            if kind not in drawn:
                assert analysis.draw(name, run["result"]).to_dict()
                drawn.add(kind)
    assert drawn <= {(entry.name, name) for entry in analyses for name in entry.figures}
    assert len(drawn) == FIGURES_THEN


def known_then(run: dict[str, Any], figures: list[str]) -> list[str]:
    """Those figures that the run's version could draw of it already: analyses may get more."""
    families = {name.partition("-")[0] for name in run["figures"]}
    return [name for name in figures if name.partition("-")[0] in families]


def test_exports_hold_all_that_they_held(earlier: Earlier, tmp_path: Path) -> None:
    """The same, but for more fields and other words now; columns that came later hold nothing of earlier answers."""
    # Not by tarfile's filter, which Python 3.11.2, as Debian 12 has it, does not know.
    shutil.unpack_archive(earlier.made / "exports.tar.xz", tmp_path)
    before = {path.relative_to(tmp_path): path for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    assert len(before) > 40
    for name, path in before.items():
        now = earlier.copy / name
        if name.suffix == ".parquet":  # which names the version of the library that wrote it
            before_it, table = pyarrow.parquet.read_table(path), pyarrow.parquet.read_table(now)
            later = [column for column in table.column_names if column not in before_it.column_names]
            assert table.drop_columns(later).equals(before_it), name
            assert all(table[column].null_count == len(table) for column in later), name
        elif name.suffix == ".csv":
            assert _of_earlier_columns(now, path) == _rows(path), name
        elif name.suffix in {".json", ".jsonl"}:
            assert _lost(_json(path), _json(now)) == [], name
        elif name.suffix == ".md":
            assert [line for line in _columns(now) if line in _columns(path)] == _columns(path), name
        else:
            assert now.read_bytes() == path.read_bytes(), name


def test_a_bundle_made_of_it_today_holds_the_same_data_plan_and_results(earlier: Earlier) -> None:
    with zipfile.ZipFile(earlier.made / "bundle.zip") as before, zipfile.ZipFile(earlier.copy / "bundle.zip") as now:
        kept = [name for name in before.namelist() if name.startswith(("data/", "results/", "plan", "study"))]
        assert len(kept) >= 23
        for name in kept:
            if name == "study.json":  # which may say more
                said, says = json.loads(before.read(name)), json.loads(now.read(name))
                assert [str(one) for one in differences(said, says) if not _is_more(one)] == []
            else:
                assert now.read(name) == before.read(name), name


def _is_more(one: Difference) -> bool:
    """Whether only today's version says it; a longer list says something else, but for one of warnings."""
    in_a_list = one.path.endswith("]") and not one.path.startswith("warnings[")
    return one.stored is NOTHING and not in_a_list


def _json(path: Path) -> Any:
    text = path.read_text()
    return json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _of_earlier_columns(now: Path, path: Path) -> list[dict[str, str]]:
    """The rows as they were, without the columns that came later and hold nothing."""
    known = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    return [{name: value for name, value in row.items() if value != "" or name in known} for row in _rows(now)]


def _columns(path: Path) -> list[str]:
    """Name, kind and whether it may be empty, of a table's dictionary."""
    return [line.rpartition(" | ")[0] for line in path.read_text().splitlines() if line.startswith("|")]


def _lost(before: Any, now: Any) -> list[str]:
    """What was said and is not said any more: words that explain, the format's version and sides never shown aside."""
    return [
        str(one)
        for one in differences(before, now)
        if one.stored is not NOTHING
        and not one.path.endswith(("description", "version"))
        and not (one.path.endswith("sideOrder") and one.found is None)
    ]


def _about(run: dict[str, Any]) -> str:
    subject = run["result"]["subject"]
    return f"{subject['kind']} {subject['slug']}"


def _uuid(stored: str) -> str:
    """As addresses have it: the database leaves the hyphens out."""
    return "-".join((stored[:8], stored[8:12], stored[12:16], stored[16:20], stored[20:]))
