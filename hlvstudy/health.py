"""Is it alive, and can it work? For whatever restarts it and for whoever looks after it."""

from dataclasses import asdict

from django.db import Error
from django.http import HttpRequest, JsonResponse

from annotations.background.probing import readiness
from annotations.storing.outage import outages


def live(_: HttpRequest) -> JsonResponse:
    """The process responds."""
    return JsonResponse({"status": "ok"})


def ready(_: HttpRequest) -> JsonResponse:
    """503 only without a database, because answers can be saved without all the rest.

    `status` is `ok`, `look` if something else needs to be looked at, or `no database`. The other fields say what.
    Found anew every two seconds.
    """
    try:
        found = asdict(readiness())
    except Error as error:
        outages.note(error, who="health")
        return JsonResponse({"status": "no database"}, status=503, headers={"Retry-After": "5"})
    return JsonResponse({"status": "ok" if all(found.values()) else "look", **found})
