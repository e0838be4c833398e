"""A whole installation of its own under load: PostgreSQL, Redis, web server and worker, which a scenario may harm."""

import contextlib
import os
import shutil
import signal
import struct
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hlvstudy.client import ApiError, Client
from tests.benchmarks.load.machine import NotMeasured, Place, end_group, free_port, responds
from tests.benchmarks.load.systems.system import ROOT
from tests.faults.prepared import PROGRAM, Prepared, inside

START_SECONDS = 120
AGAIN_SECONDS = 180
CLOCK = Path(__file__).with_name("shifted_clock.c")


class Installation:
    """What a scenario gets. It ends with its place.

    Args:
        mounts: megabytes of a file system of its own for `pg` (PostgreSQL's files) or `state` (HLV_STATE).
        shifted: whether the clock of web server and worker can `jump`.
    """

    def __init__(
        self, place: Place, prepared: Prepared, *, mounts: Mapping[str, int] | None = None, shifted: bool = False
    ) -> None:
        self.folder, self.prepared = place.folder, prepared
        self.folder.chmod(0o755)  # PostgreSQL's user passes through
        for name, megabytes in (mounts or {}).items():
            self._mount(place, self.folder / name, megabytes)
        self.port, self.redis_port = free_port(), free_port()
        self.cluster = prepared.copied(self.folder / "pg")
        place.stack.callback(self.cluster.stop_if_running)
        self.cluster.start()
        self.place = Place(place.folder, self.cluster.address, place.stack, place.groups)
        self.env = {
            **prepared.env,
            "HLV_STATE": str(self.folder / "state"),
            "PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            "DATABASE_URL": self.cluster.address,
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "JOB_SWEEP_SECONDS": "2",
        }
        self.clock = self.folder / "clock"
        self.server_env = {**self.env, **(self._shifted_clock() if shifted else {})}
        self.client = Client(self.env["PUBLIC_URL"], prepared.token, timeout=20)
        self.servers: dict[str, subprocess.Popen[bytes]] = {}
        self.starts: Counter[str] = Counter()
        self.jobs: list[str] = []

    def _mount(self, place: Place, at: Path, megabytes: int) -> None:
        at.mkdir()
        told = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "hlv-faults", str(at)]
        if os.geteuid() or subprocess.run(told, capture_output=True, check=False).returncode:
            raise NotMeasured("a small file system can be mounted by root only")
        place.stack.callback(subprocess.run, ["umount", "-l", str(at)], check=False)

    def _shifted_clock(self) -> dict[str, str]:
        """Not libfaketime: with it, sleeping by a monotonic clock ends with EINVAL, and gunicorn with it."""
        library = self.folder / "shifted_clock.so"
        told = ["-shared", "-fPIC", "-O2", "-o", str(library), str(CLOCK), "-ldl"]
        if not (compiler := shutil.which("cc")):
            raise NotMeasured("there is no C compiler (Debian: apt install gcc libc6-dev)")
        if subprocess.run([compiler, *told], capture_output=True, check=False).returncode:
            raise NotMeasured(f"{CLOCK.name} could not be compiled (Debian: apt install gcc libc6-dev)")
        self.jump(0)
        return {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self.clock)}

    def jump(self, seconds: int) -> None:
        """What web server and worker take for the time from now on: the true one and so many seconds."""
        with self.clock.open("r+b" if self.clock.exists() else "wb", buffering=0) as shared:
            shared.write(struct.pack("=q", seconds))

    def start_all(self) -> None:
        for name in ("redis", "web", "worker"):
            self.start(name)

    def start(self, name: str) -> None:
        """Start a server and wait until it responds."""
        self.starts[name] += 1
        log = f"{name}-{self.starts[name]}"
        address = f"http://127.0.0.1:{self.port}/health"
        command: Sequence[str]
        if name == "redis":
            redis = shutil.which("redis-server")
            if not redis:
                raise NotMeasured("redis-server is not installed")
            private = ["--port", str(self.redis_port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
            # It keeps nothing: what waits in the queue is lost with it.
            command, is_up = [redis, *private, "--save", "", "--appendonly", "no"], self._redis_responds
        elif name == "web":
            command, is_up = [*PROGRAM, "web", "--bind", f"127.0.0.1:{self.port}"], lambda: responds(f"{address}/live")
        else:
            command = [*PROGRAM, "worker", "--concurrency", "2"]
            is_up = lambda: responds(f"{address}/ready", saying=b'"worker": true')  # noqa: E731 - one of two
        env = {} if name == "redis" else self.server_env
        self.servers[name] = self.place.start(log, command, env=env, cwd=ROOT)
        self.place.wait(self.servers[name], is_up, name=log, seconds=START_SECONDS)

    def kill(self, name: str) -> None:
        """SIGKILL to a server and all of its processes."""
        server = self.servers.pop(name)
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()

    def end(self) -> None:
        """End web server, worker and Redis as a service manager does."""
        for server in self.servers.values():
            end_group(server)

    def start_job(self) -> None:
        """Ask for an export, if the server takes it now; it has to end."""
        with contextlib.suppress(ApiError, OSError):
            self.jobs.append(str(self.client.post("studies/load/export-files/", format="csv")["id"]))

    def wait_for_jobs(self, *, seconds: float) -> list[str]:
        """What is wrong with the jobs that were taken."""
        problems = []
        until = time.monotonic() + seconds
        for number, job in enumerate(self.jobs):
            is_last = number == len(self.jobs) - 1
            while (found := self.client.get(f"export-files/{job}/"))["state"] in {"queued", "running"}:
                if time.monotonic() > until:
                    problems.append(f"a job is still {found['state']} after {seconds:g} s")
                    break
                time.sleep(0.5)
            if is_last and found["state"] != "succeeded":
                problems.append(f"the job asked for after the fault is {found['state']}: {found.get('error', '')}")
        return problems

    def verdict(self, acknowledged: Sequence[Any]) -> dict[str, Any]:
        found: dict[str, Any] = inside(self.place, self.env, "check", list(acknowledged))
        return found

    def _redis_responds(self) -> bool:
        import redis

        try:
            with redis.Redis(port=self.redis_port, socket_timeout=2) as connection:
                return bool(connection.ping())
        except redis.RedisError:
            return False


def until(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Whether it came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def fill(folder: Path) -> Path:
    """Fill the file system of a folder to the last byte; the file to delete to have room again."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                continue
    return ballast
