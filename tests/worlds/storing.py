"""Answers stored one step at a time, without handing out what comes next."""

import uuid
from typing import Any, cast

from annotations.answering.recording import key_used_once, own_of, record_labels, record_preference, submit_report
from annotations.models import LabelResponse, PreferenceResponse, Report, User


def store_labels(*, user: User, token: uuid.UUID, **answer: Any) -> LabelResponse:
    """What it takes besides is what `record_labels` takes."""
    with key_used_once(LabelResponse, answer["key"]):
        return record_labels(own_of(user, token), **answer)


def store_preference(*, user: User, token: uuid.UUID, **answer: Any) -> PreferenceResponse:
    """What it takes besides is what `record_preference` takes."""
    with key_used_once(PreferenceResponse, answer["key"]):
        return record_preference(own_of(user, token), **answer)


def store_report(*, user: User, token: uuid.UUID, **report: Any) -> Report:
    """What it takes besides is what `submit_report` takes."""
    stored = submit_report(user=user, token=token, ahead=uuid.uuid4(), **report).response
    return cast(Report, stored)
