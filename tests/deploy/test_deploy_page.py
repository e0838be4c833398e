"""The commands of docs/deploy.md, as far as a machine without systemd and a public host can run them."""

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.clean_shell import blocks
from tests.conftest import missing
from tests.deploy.serving import ROOT, bare, needed

pytestmark = pytest.mark.long
PAGE = ROOT / "docs" / "deploy.md"
POSTGRES_URL = os.environ.get("TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")


def commands(section: str) -> str:
    return "\n".join(blocks(PAGE, kind="bash.*", section=section))


def shell(script: str, *, at: Path, **settings: str) -> str:
    strict = ["bash", "-euo", "pipefail", "-c", script]
    done = subprocess.run(strict, cwd=at, env=bare(settings), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture
def role() -> Iterator[str]:
    """The name of a role and a database that are not there yet, and are gone afterwards."""
    name = f"hlv_deploy_page_{uuid.uuid4().hex[:12]}"
    try:
        admin = psycopg.connect(POSTGRES_URL, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError:
        missing("a PostgreSQL that answers")
    with admin:
        yield name
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        admin.execute(f"DROP ROLE IF EXISTS {name}")


def test_from_an_empty_database_to_somebody_who_may_do_everything(role: str, tmp_path: Path) -> None:
    needed("createuser")
    there = urlsplit(POSTGRES_URL)
    server = {"PGHOST": there.hostname or "", "PGPORT": str(there.port or 5432), "PGUSER": there.username or "postgres"}
    server |= {"PGPASSWORD": there.password} if there.password else {}
    created = commands("Role and database").replace("sudo -u postgres ", "").replace("hlvstudy", role)
    shell(created, at=tmp_path, **server)

    (settings,) = blocks(PAGE, kind="text", section="Settings")
    own = {"HLV_STATE": str(tmp_path), "DATABASE_URL": f"postgres://{role}@{there.hostname}:{there.port}/{role}"}
    own |= {"CELERY_BROKER_URL": "", "EMAIL_URL": "", "STATIC_ROOT": str(tmp_path / "static")}
    lines = [line for line in settings.splitlines() if line.partition("=")[0] not in own]
    assert len(lines) == 4
    given = dict(line.split("=", 1) for line in lines) | {name: value for name, value in own.items() if value}
    (tmp_path / ".env").touch()

    typed = commands("Prepare and examine")
    for theirs, here in {
        "cd /var/lib/hlvstudy\n": "",
        "chown root:hlvstudy .env": f"chown {os.getuid()} {tmp_path}/.env",
        "chmod 640 .env": f"chmod 640 {tmp_path}/.env",
        "sudo -u hlvstudy /opt/hlvstudy/bin/hlvstudy": f"{sys.executable} -m hlvstudy",
        "createsuperuser": "createsuperuser --noinput --email ann@example.org",
        " --mail-to ann@example.org": " || true",  # root in CI is one of the things that it finds wrong
    }.items():
        assert theirs in typed
        typed = typed.replace(theirs, here)
    said = shell(typed, at=ROOT, **given, DJANGO_SUPERUSER_PASSWORD=uuid.uuid4().hex)
    assert "PostgreSQL" in said
    assert "Database: Its tables are those of this version." in said
    assert "Nobody may look after this server" not in said
    wrong = set(re.findall(r"^WRONG +([^:]+):", said, re.MULTILINE))
    assert wrong <= {"User"}, said


def test_the_wheel_and_the_folder_are_brought_to_where_the_later_commands_look_for_them(tmp_path: Path) -> None:
    checkout, server = tmp_path / "checkout", tmp_path / "server"
    for folder in (checkout / "dist", server):
        folder.mkdir(parents=True)
    (checkout / "dist" / "hlvstudy-1.2.3-py3-none-any.whl").touch()
    (checkout / "deploy").symlink_to(ROOT / "deploy")
    bring = commands("Program and user")
    (brought,) = re.findall(r"^scp (.*) root@study\.example\.org:\nssh root@study\.example\.org$", bring, re.MULTILINE)
    shell(f"cp -L {brought} {server}", at=checkout)  # `scp` follows links, too

    (install,) = re.findall(r"^/opt/hlvstudy/bin/pip (install .*)$", bring, re.MULTILINE)
    (upgrade,) = re.findall(r"^/opt/hlvstudy/bin/pip (install .*)$", commands("Upgrade"), re.MULTILINE)
    for typed in (install, upgrade):
        assert shell(f"printf '%s\n' {typed}", at=server).splitlines()[-1] == "hlvstudy-1.2.3-py3-none-any.whl"
    (units,) = re.findall(r"^cp (\S+) /etc/systemd/system/$", commands("Start"), re.MULTILINE)
    copied = shell(f"printf '%s\n' {units}", at=tmp_path, HOME=str(server)).splitlines()
    assert {Path(path).name for path in copied} == {path.name for path in (ROOT / "deploy" / "systemd").iterdir()}
    assert all(Path(path).is_file() for path in copied)


def test_the_file_for_nginx_is_filled_in(tmp_path: Path) -> None:
    typed = commands("HTTPS")
    (fill,) = re.findall(r"^(fill='.*\n(?:fill=.*\n)?sed .*)$", typed, re.MULTILINE)
    shell(fill.replace("/etc/nginx/conf.d", str(tmp_path)), at=tmp_path, HOME=str(ROOT))
    made = (tmp_path / "hlvstudy.conf").read_text()
    assert "${" not in made
    assert "server_name study.example.org;" in made
    assert "ssl_certificate /etc/letsencrypt/live/study.example.org/fullchain.pem;" in made
    assert "server 127.0.0.1:8000 " in made
    assert "access_log /var/log/nginx/hlvstudy.log hlvstudy;" in made


def test_the_secrets_for_containers_are_made_as_the_page_says(tmp_path: Path) -> None:
    typed = commands("Containers")
    shell(typed[: typed.index("docker compose")], at=tmp_path)
    secrets = tmp_path / "deploy" / "secrets"
    assert {path.name for path in secrets.iterdir()} == {"secret_key", "postgres_password", "database_url", "email_url"}
    assert len((secrets / "secret_key").read_text().strip()) >= 50
    password = (secrets / "postgres_password").read_text().strip()
    assert (secrets / "database_url").read_text() == f"postgres://hlvstudy:{password}@postgres/hlvstudy\n"
    assert (secrets.stat().st_mode & 0o777) == 0o700
