"""Settings of the test runs: the real ones, with a safe environment where the caller set none."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

if "HLV_STATE" not in os.environ:
    # A folder of its own for every run, so that two side by side do not meet; children inherit it.
    os.environ["HLV_STATE"] = tempfile.mkdtemp(prefix="hlvstudy-tests-")
    atexit.register(shutil.rmtree, os.environ["HLV_STATE"], ignore_errors=True)
# pytest-xdist calls its processes gw0, gw1, ...: each has a folder of its own, with its embedded broker, or a database
# of its own in Redis. (pytest-django gives each its test database.) Taken out: children have it from their parent.
if _turn := os.environ.pop("PYTEST_XDIST_WORKER", "").removeprefix("gw"):
    os.environ["HLV_STATE"] = str(Path(os.environ["HLV_STATE"], _turn))
    _broker = urlsplit(os.environ.get("CELERY_BROKER_URL", ""))
    if _broker.scheme.startswith("redis"):
        _number = int(_broker.path.strip("/") or 0) + int(_turn)
        os.environ["CELERY_BROKER_URL"] = urlunsplit(_broker._replace(path=f"/{_number}"))
os.environ.setdefault("STATIC_ROOT", str(Path(os.environ["HLV_STATE"], "static")))
os.environ.setdefault("SECRET_KEY", "for-tests-only-" + "x" * 50)
os.environ.setdefault("PUBLIC_URL", "http://localhost")
os.environ.setdefault("JOB_LEASE_SECONDS", "4")
os.environ.setdefault("JOB_SWEEP_SECONDS", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")

from hlvstudy.settings import *  # noqa: F403 - settings are names
from hlvstudy.settings import DATABASES, STATE_DIR, STATIC_ROOT

STATIC_ROOT.mkdir(parents=True, exist_ok=True)
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
if "sqlite3" in DATABASES["default"]["ENGINE"]:
    # A file, not memory: threads, workers and the live server open it too.
    DATABASES["default"]["TEST"] = {"NAME": str(STATE_DIR / "test.sqlite3")}
    DATABASES["default"]["ENGINE"] = "tests.sqlite"
else:
    DATABASES["default"]["ENGINE"] = "tests.postgresql"
