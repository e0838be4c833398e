"""A database with a study that can be answered, made once for all scenarios: that takes longer than a fault."""

import json
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.benchmarks.load.machine import NotMeasured, Place, free_port
from tests.benchmarks.load.systems.here import Here
from tests.benchmarks.load.systems.system import ROOT, Sizes
from tests.clusters import Cluster, NoPostgreSQL

PROGRAM = (sys.executable, "-m", "hlvstudy")


class Prepared:
    """PostgreSQL's files of a study, and what its web server must know to go on with it.

    Attributes:
        people: the experts, each signed in, as the load's users take them.
        token: of somebody who may start jobs.
    """

    def __init__(self, place: Place, sizes: Sizes) -> None:
        self.env = {"STATIC_ROOT": str(place.folder / "static"), "SECRET_KEY": secrets.token_urlsafe(50)}
        place.folder.chmod(0o755)  # PostgreSQL's user passes through
        cluster = cluster_in(place.folder / "pg")
        self._files = cluster.folder / "data"
        place.stack.callback(cluster.stop_if_running)
        cluster.make()
        made = Place(place.folder, cluster.address, place.stack, place.groups)
        env = {**self.env, "DATABASE_URL": cluster.address, "HLV_STATE": str(place.folder / "state")}
        made.run([*PROGRAM, "prepare"], env=env, cwd=ROOT)
        self.people: list[dict[str, Any]] = Here.inside(made, env, "prepare", vars(sizes))["people"]
        self.token = str(inside(made, env, "admin", None)["token"])
        cluster.stop("fast")

    def copied(self, folder: Path) -> Cluster:
        """A PostgreSQL with a copy of it in a folder, not started."""
        cluster = cluster_in(folder)
        # Not shutil: the files belong to PostgreSQL's user, and go on doing so.
        subprocess.run([shutil.which("cp") or "cp", "-a", str(self._files), str(folder / "data")], check=True)
        return cluster


def cluster_in(folder: Path) -> Cluster:
    """A PostgreSQL whose files do not grow beyond what is asked for, so that a small disk holds it.

    Raises:
        NotMeasured: there is none on this machine.
    """
    try:
        return Cluster(folder, free_port(), options="-c max_wal_size=64MB -c min_wal_size=32MB -c max_connections=60")
    except NoPostgreSQL as why:
        raise NotMeasured(str(why)) from None


def inside(place: Place, env: dict[str, str], what: str, told: Any) -> Any:
    """One of the things that `tests.faults.inside` does with the servers' settings."""
    command = [sys.executable, "-m", "tests.faults.inside", what]
    settings = {**env, "DJANGO_SETTINGS_MODULE": "hlvstudy.settings"}
    return json.loads(place.run(command, env=settings, cwd=ROOT, stdin=json.dumps(told)))
