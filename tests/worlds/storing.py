"""Answers stored one step at a time, without handing out what comes next."""

import uuid
from typing import Any

from django.db import transaction

from annotations.answering.recording import own_of, record_labels, record_preference, record_report
from annotations.models import LabelResponse, PreferenceResponse, Report, User


@transaction.atomic
def store_labels(*, user: User, token: uuid.UUID, **answer: Any) -> LabelResponse:
    """What it takes besides is what `record_labels` takes."""
    own = own_of(user, token)
    response = record_labels(own, **answer)
    own.standing.store()
    return response


@transaction.atomic
def store_preference(*, user: User, token: uuid.UUID, **answer: Any) -> PreferenceResponse:
    """What it takes besides is what `record_preference` takes."""
    own = own_of(user, token)
    response = record_preference(own, **answer)
    own.standing.progress()  # looks at the pool again, if need be, so that it is stored what was seen
    own.standing.store()
    return response


@transaction.atomic
def store_report(*, user: User, token: uuid.UUID, **report: Any) -> Report:
    """What it takes besides is what `record_report` takes."""
    return record_report(own_of(user, token), user=user, **report)
