"""Settings of the test runs: the real ones, with a safe environment where the caller set none."""

import atexit
import os
import shutil
import tempfile

if "HLV_STATE" not in os.environ:
    # A folder of its own for every run, so that two side by side do not meet; children inherit it.
    os.environ["HLV_STATE"] = tempfile.mkdtemp(prefix="hlvstudy-tests-")
    atexit.register(shutil.rmtree, os.environ["HLV_STATE"], ignore_errors=True)
os.environ.setdefault("SECRET_KEY", "for-tests-only-" + "x" * 50)
os.environ.setdefault("PUBLIC_URL", "http://localhost")
os.environ.setdefault("JOB_LEASE_SECONDS", "4")
os.environ.setdefault("JOB_SWEEP_SECONDS", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")

from hlvstudy.settings import *  # noqa: F403
from hlvstudy.settings import DATABASES, STATE_DIR

ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
if "sqlite3" in DATABASES["default"]["ENGINE"]:
    # A file, not memory: threads, workers and the live server open it too.
    DATABASES["default"]["TEST"] = {"NAME": str(STATE_DIR / "test.sqlite3")}
else:
    DATABASES["default"]["ENGINE"] = "tests.postgresql"
