"""For whatever restarts the server, `/health/live` and `/health/ready`; for whoever watches it, figures at `/metrics`.

The figures, for Prometheus, are off unless `METRICS_TOKEN` or `METRICS_NETWORKS` is set, and never public.
Web processes count requests into files that any of them can add up (prometheus-client's multiprocess mode). Everything
else is asked of the database when somebody looks, at most every 15 seconds. No label names a person or a study.
"""

import ipaddress
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import MiddlewareNotUsed
from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare

from annotations.storing.outage import is_away, outages
from hlvstudy.checks.conditions import Remembered
from hlvstudy.checks.every import CHECKS, ON_PAGE
from hlvstudy.checks.jobs import broker_trouble
from hlvstudy.pages import no_such_address

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
"""Seconds."""
ASKED_EVERY = 15.0
"""Seconds for which answers of the database are repeated."""
FOLDER = "metrics"
BY_WAY_OF_A_PROXY = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA")


readiness = Remembered(lambda: {check.probe[0]: check.probe[1]() for check in ON_PAGE if check.probe})
"""What a probe is told: no names, addresses or sizes, because everybody may ask. `worker` and `queue` are about the
default queue. Raises django.db.Error if the database does not respond.
"""


def forget_probes() -> None:
    """Ask everything anew next time."""
    broker_trouble.forget()
    readiness.forget()


def live(_: HttpRequest) -> JsonResponse:
    """The process responds."""
    return JsonResponse({"status": "ok"})


def ready(_: HttpRequest) -> JsonResponse:
    """503 only without a database, because answers can be saved without all the rest.

    `status` is `ok`, `look` if something else needs to be looked at, or `no database`. The other fields say what.
    """
    try:
        parts = readiness()
    except Error as error:
        outages.note(error, who="health")
        return JsonResponse({"status": "no database"}, status=503, headers={"Retry-After": "5"})
    return JsonResponse({"status": "ok" if all(parts.values()) else "look", **parts})


# -- figures


def is_on() -> bool:
    """Whether anybody may look."""
    return bool(settings.METRICS_TOKEN or settings.METRICS_NETWORKS)


def forget_ended_processes(folder: Path) -> None:
    """Remove what processes counted that have ended: before a server starts, from whose start Prometheus counts."""
    for file in (folder / FOLDER).glob("*.db"):
        pid = file.stem.rpartition("_")[2]
        if pid.isdigit() and not Path("/proc", pid).exists():
            with suppress(FileNotFoundError):
                file.unlink()


class RequestCounts:
    """What this process counts."""

    def __init__(self) -> None:
        folder = Path(settings.STATE_DIR) / FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(folder))
        from prometheus_client import CollectorRegistry, Counter, Histogram

        mine = CollectorRegistry()  # never looked at: what all processes counted is read from the files
        requests = Histogram(
            "hlv_request_seconds",
            "How long requests took, by the view's address, method and status",
            ["view", "method", "status"],
            buckets=BUCKETS,
            registry=mine,
        )
        self.requests = cache(requests.labels)
        self.logins_failed = Counter("hlv_logins_failed", "Sign-ins that failed", registry=mine)


@cache
def counted() -> RequestCounts:
    """The one of this process."""
    return RequestCounts()


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MonitoringMiddleware:
    """Counts every request and its time. It is not there at all if nobody may look."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not is_on():
            raise MiddlewareNotUsed
        self.get_response = get_response
        self.requests = counted().requests
        user_login_failed.connect(_login_failed, dispatch_uid="hlvstudy.monitoring")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        view = request.resolver_match.route if request.resolver_match else "unknown"
        method = request.method if request.method in METHODS else "other"
        self.requests(view, method, str(response.status_code)).observe(time.perf_counter() - began)
        return response


def _login_failed(**_: Any) -> None:
    counted().logins_failed.inc()


def metrics(request: HttpRequest) -> HttpResponse:
    """All figures, as Prometheus reads them; for everybody else there is nothing at this address."""
    if not may_look(request):
        return no_such_address(request)
    counted()  # sets the folder, which the library reads when it is imported
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library has no types
    registry.register(_FiguresOfTheDatabase())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def may_look(request: HttpRequest) -> bool:
    """Whether the request has the token, or comes from one of the networks and by way of no proxy."""
    if settings.METRICS_TOKEN:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() == "bearer" and constant_time_compare(token.strip(), settings.METRICS_TOKEN):
            return True
    if not settings.METRICS_NETWORKS or any(header in request.META for header in BY_WAY_OF_A_PROXY):
        return False
    try:
        address = ipaddress.ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:  # a socket file: the other side is a proxy
        return False
    return any(address in ipaddress.ip_network(network, strict=False) for network in settings.METRICS_NETWORKS)


class _FiguresOfTheDatabase:
    """What is asked when somebody looks."""

    def collect(self) -> Iterator["Metric"]:
        from prometheus_client.core import GaugeMetricFamily

        try:
            figures = figures_of_the_database()
        except Exception as error:
            if not is_away(error):
                raise
            figures = []
        yield GaugeMetricFamily("hlv_database_up", "Whether the database responds", value=float(bool(figures)))
        for gauge in figures:
            family = GaugeMetricFamily(gauge.name, gauge.meaning, labels=gauge.labels)
            for of, value in gauge.values.items():
                family.add_metric(list(of), value)
            yield family


figures_of_the_database = Remembered(
    lambda: [gauge for check in CHECKS for gauge in check.figures()], seconds=ASKED_EVERY
)
"""What the database said within the last 15 seconds."""
