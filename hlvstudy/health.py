"""Is it alive, and can it work? For whatever restarts it and for whoever looks after it."""

from django.db import connection
from django.http import HttpRequest, JsonResponse

from annotations.background.jobs import worker_alive


def live(_: HttpRequest) -> JsonResponse:
    """The process responds."""
    return JsonResponse({"status": "ok"})


def ready(_: HttpRequest) -> JsonResponse:
    """The database responds; `worker` says whether a worker has been seen recently (without one, jobs wait)."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        worker = worker_alive()
    except Exception:  # any database error means: not ready
        return JsonResponse({"status": "no database"}, status=503)
    return JsonResponse({"status": "ok", "worker": worker})
