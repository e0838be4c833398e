"""What runs in a process of its own, on the database of one study.

    python -m tests.benchmarks.answering.inside fill    makes the study of the sizes that it reads (JSON)
    python -m tests.benchmarks.answering.inside serve   takes answers, one for each line that it reads

Requests go through the application that gunicorn serves, without a socket.
"""

import io
import json
import os
import sys
import time
import uuid
from pathlib import Path
from typing import Any

HOST = "127.0.0.1:8000"
"""The host of PUBLIC_URL."""
CSRF = "c" * 32
SLUG = "copied"


def fill(sizes: dict[str, Any]) -> list[str]:
    """Make the study, and return the sessions of its experts, in the order of their numbers."""
    from django.conf import settings
    from django.test import Client

    from tests.worlds.copied import make_copied_study
    from tests.worlds.sizes import CopiedWorld

    sessions = []
    for member in make_copied_study(CopiedWorld(**sizes), slug=SLUG).memberships.experts().order_by("number"):
        client = Client()
        client.force_login(member.user)
        sessions.append(client.cookies[settings.SESSION_COOKIE_NAME].value)
    return sessions


class Expert:
    """An expert's page: it sends what the page of frontend/ sends."""

    def __init__(self, session: str) -> None:
        from django.conf import settings

        self._cookies = f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={CSRF}"
        self._task: dict[str, Any] = {}

    def begin(self) -> None:
        """Ask for the text in hand, or for the first one."""
        self._task = self._post(f"studies/{SLUG}/next/", {})

    def answer(self) -> None:
        """One complete answer: two requests; the first brings the text after this one."""
        assignment, version = self._task["assignment"], self._task["study"]["instrument_version"]
        seen = {"instrument_version": version, "page_language": "en"}
        path = f"assignments/{assignment['token']}"
        labels = {"key": str(uuid.uuid4()), "labels": [0], "active_ms": 5500, **seen}
        told = self._post(f"{path}/labels/", labels)
        both = told["assignment"]["comparison"]["identical"]
        preference = {"key": str(uuid.uuid4()), "a_chosen": True, "b_chosen": both, "certainty": 0.7, "active_ms": 2400}
        self._post(f"{path}/preference/", {**preference, "ahead": told["next"]["assignment"]["token"], **seen})
        self._task = {**self._task, **told["next"]}

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        from hlvstudy.wsgi import application

        sent = json.dumps(body).encode()
        statuses: list[str] = []
        parts = application(
            {
                "REQUEST_METHOD": "POST",
                "PATH_INFO": f"/api/v1/{path}",
                "SCRIPT_NAME": "",
                "SERVER_NAME": HOST.partition(":")[0],
                "SERVER_PORT": HOST.partition(":")[2],
                "SERVER_PROTOCOL": "HTTP/1.1",
                "REMOTE_ADDR": "127.0.0.1",
                "CONTENT_TYPE": "application/json",
                "CONTENT_LENGTH": str(len(sent)),
                "HTTP_HOST": HOST,
                "HTTP_COOKIE": self._cookies,
                "HTTP_X_CSRFTOKEN": CSRF,
                "HTTP_ACCEPT_LANGUAGE": "en",
                "wsgi.url_scheme": "http",
                "wsgi.input": io.BytesIO(sent),
                "wsgi.errors": sys.stderr,
                "wsgi.version": (1, 0),
                "wsgi.multithread": False,
                "wsgi.multiprocess": True,
                "wsgi.run_once": False,
            },
            lambda status, headers, *_: statuses.append(status),
        )
        received = b"".join(parts)
        parts.close()  # type: ignore[attr-defined]  # as the protocol says; Django ends the request here
        if statuses != ["200 OK"]:
            sys.exit(f"{path}: {statuses} {received[:500]!r}")
        return json.loads(received)


def cpu() -> float:
    """Seconds of processor time so far: this process's, and that of its process of PostgreSQL, if that is near."""
    from django.db import connection

    used = time.process_time()
    if connection.vendor == "postgresql" and connection.connection is not None:
        spent = Path("/proc", str(connection.connection.info.backend_pid), "schedstat")
        used += int(spent.read_text().split()[0]) / 1e9
    return used


def serve(sessions: list[str]) -> None:
    """For each line, "begin" or "answer" and the number of an expert: do it, and say what it took, as JSON."""
    experts = [Expert(session) for session in sessions]
    for line in sys.stdin:
        what, number = line.split()
        act = getattr(experts[int(number)], what)
        used, began = cpu(), time.perf_counter()
        act()
        print(json.dumps({"wall": time.perf_counter() - began, "cpu": cpu() - used}), flush=True)


def main() -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings" if sys.argv[1] == "fill" else "hlvstudy.settings"
    import django

    django.setup()
    told = json.loads(sys.stdin.readline())
    if sys.argv[1] == "fill":
        print(json.dumps(fill(told)))
    else:
        serve(told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
