"""No middleware, no sessions: the database is what `hlvstudy.settings` would use."""

import os

import environ

SECRET_KEY = os.environ["SECRET_KEY"]
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "tests.benchmarks.load.bare.views"
WSGI_APPLICATION = "tests.benchmarks.load.bare.wsgi.application"
INSTALLED_APPS = ["tests.benchmarks.load.bare"]
MIDDLEWARE: list[str] = []
DATABASES = {"default": environ.Env().db("DATABASE_URL")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
HLV_MAX_UPLOAD_BYTES = DATA_UPLOAD_MAX_MEMORY_SIZE = 2**20  # the web processes ask for it
USE_TZ = True
USE_I18N = False
