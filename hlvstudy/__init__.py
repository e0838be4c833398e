"""HLV Study: the Django project (settings, URLs, Celery app, health). No domain code lives here."""

from hlvstudy.celery import app as celery_app

__all__ = ["celery_app"]
