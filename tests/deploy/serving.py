"""A real `hlvstudy web`, nginx in front of it if asked for, and clients that keep them waiting."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conftest import missing, wait_until
from tests.processes import BYTECODE, AtTerminal, free_port
from tests.templates import copy_sqlite

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "deploy" / "nginx" / "hlvstudy.conf.template"
KEY = "a key for these tests only, of more than fifty characters"
UNPRIVILEGED = "nobody"
CLIENTS = 200


def needed(program: str) -> str:
    """Where a program of the machine is; CI installs it, elsewhere the test is skipped without it."""
    found = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if found is None:
        missing(program)
    return found


def program(*arguments: str | Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """`hlvstudy ...`, with no settings but those that are given."""
    command = [sys.executable, "-m", "hlvstudy", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=bare(env), capture_output=True, text=True, check=False)


def bare(env: Mapping[str, str]) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", **BYTECODE, **env}


@contextmanager
def web(folder: Path, *, public_url: str = "", **settings: str) -> Iterator[int]:
    """The web server as `hlvstudy web` starts it; its port."""
    port = free_port()
    env = {"HLV_STATE": str(folder / "state"), "STATIC_ROOT": str(folder / "static"), "SECRET_KEY": KEY, **settings}
    env["PUBLIC_URL"] = public_url or f"http://127.0.0.1:{port}"
    if not (folder / "static").is_dir():
        if "DATABASE_URL" not in settings:
            copy_sqlite(folder / "state" / "hlvstudy.sqlite3")
        assert (prepared := program("prepare", env=env)).returncode == 0, prepared.stderr
    command = [sys.executable, "-m", "hlvstudy", "web", "--bind", f"127.0.0.1:{port}"]
    server = AtTerminal(command, cwd=ROOT, env=bare(env), log=folder / "web.log")
    try:
        wait_until(lambda: is_answered(f"http://127.0.0.1:{port}") or server.has_ended, seconds=120, every=0.2)
        assert not server.has_ended, server.said
        yield port
    finally:
        assert server.terminate() == 0


@contextmanager
def nginx(upstream: int, port: int) -> Iterator[Path]:
    """nginx with the shipped configuration as a person without rights; the folder with its logs."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        conf = configured(folder, upstream=f"127.0.0.1:{upstream}", port=port)
        given_to_nobody(folder)
        command = [needed("nginx"), "-p", str(folder), "-c", str(conf), "-e", str(folder / "error.log")]
        checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False, **as_nobody())
        assert checked.returncode == 0, checked.stderr
        running = subprocess.Popen([*command, "-g", "daemon off;"], stderr=subprocess.DEVNULL, **as_nobody())
        try:
            wait_until(lambda: is_answered(f"https://127.0.0.1:{port}"), seconds=60, every=0.1)
            yield folder
        finally:
            running.terminate()
            running.wait(timeout=30)


def configured(folder: Path, *, upstream: str, port: int) -> Path:
    """The template filled in as docs/deploy.md says, with this folder instead of the machine's."""
    text = TEMPLATE.read_text()
    for name, value in {
        "HLV_HOST": "127.0.0.1",
        "HLV_UPSTREAM": upstream,
        "HLV_TLS": str(folder),
        "HLV_LOG": str(folder / "hlvstudy.log"),
    }.items():
        text = text.replace(f"${{{name}}}", value)
    assert "${" not in text
    for listens, here in {"443 ": f"{port} ", "80;": f"{free_port()};"}.items():
        text = text.replace(f"listen {listens}", f"listen 127.0.0.1:{here}")
    text = text.replace("/var/cache/nginx-hlvstudy", str(folder / "cache"))
    (folder / "hlvstudy.conf").write_text(text)
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"pid {folder}/nginx.pid;\nevents {{ worker_connections 1024; }}\n"
        f"http {{\naccess_log off;\n{temporary}include hlvstudy.conf;\n}}\n"
    )
    subject = ["-subj", "/CN=127.0.0.1", "-days", "2", "-nodes", "-newkey", "rsa:2048"]
    files = ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    subprocess.run([needed("openssl"), "req", "-x509", *subject, *files], capture_output=True, check=True)
    return folder / "nginx.conf"


def given_to_nobody(folder: Path) -> None:
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, UNPRIVILEGED)


def as_nobody() -> dict[str, str]:
    return {"user": UNPRIVILEGED} if os.geteuid() == 0 else {}


@cache
def unverified() -> ssl.SSLContext:
    """Trusts the certificate that the test has just made."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def asked(url: str, *, seconds: float = 20, **headers: str) -> tuple[int, str]:
    """What an ordinary client is answered, within some seconds."""
    request = urllib.request.Request(url, headers={name.replace("_", "-"): value for name, value in headers.items()})
    context = unverified() if url.startswith("https:") else None
    try:
        with urllib.request.urlopen(request, timeout=seconds, context=context) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")


def is_answered(url: str) -> bool:
    try:
        return asked(f"{url}/health/live", seconds=2)[0] == 200
    except OSError:
        return False


class SlowClients:
    """Many connections that were begun and are not gone on with."""

    KINDS = ("half a header", "half a body", "reads nothing")

    def __init__(self, port: int, *, over_tls: bool = False, count: int = CLIENTS) -> None:
        self._stack = ExitStack()
        self._port, self._tls, self._count, self._begun = port, over_tls, count, 0

    def __enter__(self) -> "SlowClients":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self, kind: str) -> None:
        """Open them all."""
        host = f"Host: 127.0.0.1:{self._port}\r\n"
        begun = {
            "half a header": f"GET / HTTP/1.1\r\n{host}X-Slow: ",
            "half a body": f"POST /api/v1/session/ HTTP/1.1\r\n{host}Content-Length: 1000\r\n\r\n{{",
            "reads nothing": f"GET {largest_asset()} HTTP/1.1\r\n{host}\r\n",
        }[kind]
        for _ in range(self._count):
            self._connection().sendall(begun.encode())
            self._begun += 1

    def __len__(self) -> int:
        """How many have begun."""
        return self._begun

    def _connection(self) -> socket.socket:
        plain = socket.socket()
        self._stack.enter_context(plain)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        plain.settimeout(30)
        if sys.platform == "linux":
            plain.bind(("127.0.0.2", 0))  # a stranger's address: nginx allows each only so many requests at a time
        plain.connect(("127.0.0.1", self._port))
        return self._stack.enter_context(unverified().wrap_socket(plain)) if self._tls else plain


def largest_asset() -> str:
    """The address of the pages' largest file."""
    files = (ROOT / "frontend" / "dist" / "assets").iterdir()
    return f"/static/assets/{max(files, key=lambda path: path.stat().st_size).name}"
