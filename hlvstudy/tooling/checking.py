"""`make check`: everything that can be said about the code without running it."""

import filecmp
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .prepare import BIN, FRONTEND, PYTHON, ROOT, environment, npm_packages, python_packages, say

SCHEMA = FRONTEND / "openapi.json"
TYPES = FRONTEND / "src" / "api" / "schema.d.ts"
MANAGE = [str(PYTHON), "manage.py"]
PACKAGES = ["hlvstudy", "annotations", "metaeval", "tests"]


def main(_: list[str]) -> int:
    python_packages(dev=True)
    npm_packages()
    with tempfile.TemporaryDirectory() as folder:
        fresh_schema, fresh_types = Path(folder) / "openapi.json", Path(folder) / "schema.d.ts"
        steps: list[tuple[str, list[list[str]]]] = [
            ("ruff: lint", [[f"{BIN}/ruff", "check", "."]]),
            ("ruff: format", [[f"{BIN}/ruff", "format", "--check", "."]]),
            ("mypy: types", [[f"{BIN}/mypy", *PACKAGES]]),
            ("import-linter: imports run one way", [[f"{BIN}/lint-imports"]]),
            ("migrations are complete", [[*MANAGE, "makemigrations", "--check", "--dry-run"]]),
            (
                "settings are fit to deploy",
                [[str(PYTHON), "manage.py", "check", "--deploy", "--fail-level", "WARNING"]],
            ),
            ("OpenAPI schema is valid", [schema_command(fresh_schema)]),
            ("Biome and tsc: the pages", [["npm", "run", "check"]]),
            ("translations are complete and faithful", [["npm", "run", "messages:check"]]),
            ("types of the API are generated", [types_command(fresh_schema, fresh_types)]),
        ]
        failed = [name for name, commands in steps if not all(passes(name, command) for command in commands)]
        for committed, fresh in [(SCHEMA, fresh_schema), (TYPES, fresh_types)]:
            name = f"{committed.relative_to(ROOT)} is up to date"
            if not fresh.is_file() or not committed.is_file() or not filecmp.cmp(committed, fresh, shallow=False):
                say(f"  FAILED  {name}: run `make schema`")
                failed.append(name)
    say("All checks passed." if not failed else f"{len(failed)} failed: {'; '.join(failed)}")
    return 1 if failed else 0


def deploy_environment(folder: str) -> dict[str, str]:
    """As on a real server, so that the deployment checks mean something."""
    return environment(
        DJANGO_SETTINGS_MODULE="hlvstudy.settings",
        SECRET_KEY=secrets.token_urlsafe(50),
        PUBLIC_URL="https://study.example.org",
        DEBUG="0",
        HLV_STATE=folder,
        MYPYPATH=str(ROOT),
    )


def passes(name: str, command: list[str]) -> bool:
    started = time.monotonic()
    cwd = FRONTEND if command[0] in {"npm", "node"} else ROOT
    with tempfile.TemporaryDirectory() as folder:
        env = deploy_environment(folder)
        done = subprocess.run(
            command, cwd=cwd, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    say(f"  {'ok    ' if done.returncode == 0 else 'FAILED'}  {name} ({time.monotonic() - started:.1f} s)")
    if done.returncode:
        sys.stdout.write(done.stdout)
        sys.stdout.flush()
    return done.returncode == 0


def schema_command(target: Path) -> list[str]:
    return [*MANAGE, "spectacular", "--format", "openapi-json", "--validate", "--fail-on-warn",
            "--file", str(target)]  # fmt: skip


def types_command(schema: Path, target: Path) -> list[str]:
    return ["node", "node_modules/openapi-typescript/bin/cli.js", str(schema), "-o", str(target)]


def write_schema(_: list[str]) -> int:
    """`make schema`."""
    python_packages(dev=True)
    npm_packages()
    good = passes("OpenAPI schema", schema_command(SCHEMA)) and passes("types", types_command(SCHEMA, TYPES))
    return 0 if good else 1


def write_messages(_: list[str]) -> int:
    """`make messages`."""
    python_packages(dev=True)
    npm_packages()
    return 0 if passes("messages", ["npm", "run", "messages"]) else 1


def format_code(_: list[str]) -> int:
    """`make format`."""
    python_packages(dev=True)
    npm_packages()
    commands = [[f"{BIN}/ruff", "check", "--fix", "."], [f"{BIN}/ruff", "format", "."], ["npm", "run", "format"]]
    results = [passes(" ".join(command[-3:]), command) for command in commands]
    return 0 if all(results) else 1
