"""What the logs hold: lines with the request's number; a traceback only for our own faults."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from annotations.storing import origins


class OwnFaultsInFull(logging.Filter):
    """Requests that were refused (4xx) are one line, however the refusal came about."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security") or getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
            if record.levelno > logging.WARNING:
                record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


class WithRequest(logging.Filter):
    """Adds the number of the request, also in the job that it began; `-` where there is none."""

    def filter(self, record: logging.LogRecord) -> bool:
        # Django tells of a refusal once the request has left all middleware; its line holds the request.
        origin = origins.current.get() or getattr(getattr(record, "request", None), "origin", None)
        record.request_id = origin.number if origin else "-"
        return True


class JsonLines(logging.Formatter):
    """One JSON object for each line, for programs that collect logs (`LOG_FORMAT=json`)."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "request_id": getattr(record, "request_id", "-"),
        }
        line |= getattr(record, "security", None) or {"message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def logging_of(*, level: str, form: str) -> dict[str, Any]:
    """The setting LOGGING."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "plain": {"format": "{asctime} {levelname} {name} [{request_id}]: {message}", "style": "{"},
            "json": {"()": "hlvstudy.logs.JsonLines"},
        },
        "filters": {
            "own_faults": {"()": "hlvstudy.logs.OwnFaultsInFull"},
            "request": {"()": "hlvstudy.logs.WithRequest"},
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "json" if form == "json" else "plain",
                "filters": ["own_faults", "request"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "hlvstudy.security": {"level": "INFO"},  # whatever else is written
            "django.db.backends": {"level": "WARNING"},
            "weasyprint": {"level": "ERROR"},  # it warns about every rule that is for screens only
            "fontTools": {"level": "ERROR"},
        },
    }
