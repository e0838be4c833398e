"""One address: both steps of an answer in one request, stored in one transaction."""

import json
import uuid

from django.db import connection, transaction
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.utils import timezone

STATEMENTS = (
    "INSERT INTO bare_step1 (place_id, revision, key, labels, active_ms, page_language, created_at) "
    "VALUES (%s, 0, %s, %s, %s, 'en', %s)",
    "INSERT INTO bare_step2 (place_id, revision, key, a_chosen, b_chosen, certainty, active_ms, page_language, "
    "created_at) VALUES (%s, 0, %s, %s, %s, %s, %s, 'en', %s)",
    "UPDATE bare_place SET expert = %s, position = %s, side_order = 'first_is_a', turn = %s, claimed_at = %s, "
    "comparison_shown_at = %s, completed_at = %s WHERE id = %s",
)
AT_ONCE = "WITH one AS ({}), two AS ({}) {}".format(*STATEMENTS)
"""One statement and so one round trip; SQLite takes them one by one."""


def answer(request: HttpRequest) -> JsonResponse:
    sent = json.loads(request.body)
    now = timezone.now()
    place, ms = sent["place"], sent["active_ms"]
    step_1 = (place, uuid.UUID(sent["labels_key"]), json.dumps(sent["labels"]), ms, now)
    choice = (sent["a_chosen"], sent["b_chosen"], sent["certainty"])
    step_2 = (place, uuid.UUID(sent["preference_key"]), *choice, ms, now)
    taken = (sent["expert"], sent["position"], sent["position"], now, now, now, place)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(AT_ONCE, (*step_1, *step_2, *taken))
        else:
            with transaction.atomic():
                for statement, values in zip(STATEMENTS, (step_1, step_2, taken), strict=True):
                    cursor.execute(
                        statement, [value.hex if isinstance(value, uuid.UUID) else value for value in values]
                    )
    return JsonResponse({"saved_at": now.isoformat()})


def alive(_request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "alive"})


urlpatterns = [path("answer/", answer), path("alive/", alive)]
