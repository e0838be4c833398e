"""Is it alive, and can it work? For the machine that restarts it and for the person who looks after it."""

from django.db import connection
from django.http import HttpRequest, JsonResponse

from annotations.background.jobs import worker_alive


def live(_: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def ready(_: HttpRequest) -> JsonResponse:
    """The database answers; `worker` says whether a worker has been seen lately (jobs wait without one)."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        worker = worker_alive()
    except Exception:  # any database trouble means: not ready
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok", "worker": worker})
