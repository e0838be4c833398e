"""A PostgreSQL that a test may stop."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path


class NoPostgreSQL(Exception):
    """The programs of a PostgreSQL server are not on this machine."""


class Cluster:
    """A PostgreSQL of one's own, in a folder that its user can reach.

    Args:
        options: settings of the server, such as `-c fsync=off`.

    Raises:
        NoPostgreSQL: it cannot be made here.
    """

    def __init__(self, folder: Path, port: int, *, options: str = "-c fsync=off") -> None:
        self.folder, self.port, self.options = folder, port, options
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
        self.bin = found[-1].parent if found else Path(shutil.which("pg_ctl") or "/nowhere/pg_ctl").parent
        if not (self.bin / "initdb").exists():
            raise NoPostgreSQL("there is no initdb on this machine")
        # PostgreSQL refuses to run as root.
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        folder.mkdir(exist_ok=True)
        if self.user:
            os.chown(folder, self.user.pw_uid, self.user.pw_gid)

    @property
    def address(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def call(self, program: str, *arguments: str) -> None:
        # Not into a pipe: the server would hold it open.
        subprocess.run(
            [str(self.bin / program), *arguments],
            check=True,
            cwd="/",
            user=self.user.pw_uid if self.user else None,
            group=self.user.pw_gid if self.user else None,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def make(self) -> None:
        self.call("initdb", "-D", str(self.folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' {self.options}"
        self.call(
            "pg_ctl", "-D", str(self.folder / "data"), "-w", "-o", options, "-l", str(self.folder / "log"), "start"
        )

    def stop(self, how: str = "immediate") -> None:
        """`immediate`: as in a crash; `fast`: its files are whole."""
        self.call("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", how, "stop")

    def stop_if_running(self) -> None:
        if self.is_running:
            self.stop()

    @property
    def is_running(self) -> bool:
        try:
            self.call("pg_ctl", "-D", str(self.folder / "data"), "status")
        except subprocess.CalledProcessError:
            return False
        return True
