"""Settings of HLV Study. Everything that differs between machines comes from the environment.

Comments marked `#:` describe the variables in docs/reference/settings.md (`make reference`). Outside DEBUG an insecure
value stops the start (hlvstudy/security.py).
"""

import re
from pathlib import Path
from urllib.parse import urlsplit

import environ
from csp.constants import NONCE, NONE, SELF

from annotations.storing.origins import trusted_proxies
from hlvstudy import places
from hlvstudy.logs import logging_of
from hlvstudy.security import (
    keep_private,
    one_of,
    refuse_insecure_metrics,
    refuse_insecure_settings,
    refuse_unsafe_provider,
    secret_key_of,
)
from hlvstudy.storage import storage_of

BASE_DIR = places.BASE

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

#: `HLV_STATE` (`.state`): the folder for databases and uploads; back it up, and keep the backup as secret as the
#: database, because it contains the keys of every study's sides
STATE_DIR = Path(env.str("HLV_STATE", default=str(places.STATE)))
#: `DEBUG` (`0`): only for development, on this machine
DEBUG = env.bool("DEBUG", default=False)
#: `PUBLIC_URL` (`http://127.0.0.1:8000`): the address that people type; must be `https://` unless it is this machine
PUBLIC_URL = env.str("PUBLIC_URL", default="http://127.0.0.1:8000").rstrip("/")
_public = urlsplit(PUBLIC_URL)
#: `SECRET_KEY` (none: must be set): 50 random characters or more; signs the sessions. Only a server for this machine
#: alone creates one itself, kept in `HLV_STATE`
SECRET_KEY = env.str("SECRET_KEY", default="") or secret_key_of(STATE_DIR, public_url=PUBLIC_URL)

#: `HLV_DEMO` (`0`): whether the pages offer to step into a role without a password. Only the demo may turn it on
#: (annotations/api/people/demo.py)
HLV_DEMO = env.bool("HLV_DEMO", default=False)

refuse_insecure_settings(debug=DEBUG, secret_key=SECRET_KEY, public_url=PUBLIC_URL, demo=HLV_DEMO)

keep_private(STATE_DIR)

# -- host names
#: `ALLOWED_HOSTS` (the host of `PUBLIC_URL`): further host names, separated by commas
ALLOWED_HOSTS = [_public.hostname or "127.0.0.1", *env.list("ALLOWED_HOSTS", default=[])]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
ROOT_URLCONF = "hlvstudy.urls"
WSGI_APPLICATION = "hlvstudy.wsgi.application"
INSTALLED_APPS = [
    "hlvstudy.apps.HouseAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "knox",
    "annotations",
    "metaeval",
    "hlvstudy",
]
MIDDLEWARE = [
    "hlvstudy.monitoring.MonitoringMiddleware",
    "hlvstudy.middleware.ForwardedMiddleware",
    "hlvstudy.middleware.OriginMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "hlvstudy.middleware.PolicyMiddleware",
    "hlvstudy.middleware.NoStoreMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "annotations.api.people.authentication.OneQueryAuthentication",
    "annotations.api.people.authentication.SamePersonMiddleware",
    "annotations.api.people.authentication.SecondFactorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "annotations.api.people.guarding.GuardingMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [places.PAGES],
        "APP_DIRS": True,  # Django's admin pages
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# -- the database: SQLite needs nothing; PostgreSQL by DATABASE_URL
#: `DATABASE_URL` (SQLite in `HLV_STATE`): for example `postgres://hlv:password@127.0.0.1/hlv`
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{STATE_DIR / 'hlvstudy.sqlite3'}")}
DATABASES["default"]["ATOMIC_REQUESTS"] = False
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # IMMEDIATE takes the write lock at BEGIN: otherwise, a read that turns into a write would fail at once
    # with "database is locked", to which no timeout applies.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;",
    }
else:
    DATABASES["default"].setdefault("CONN_MAX_AGE", 600)
    DATABASES["default"].setdefault("CONN_HEALTH_CHECKS", True)
    # An address that swallows everything would hold a request, or a probe, for minutes.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
    #: `PREPARED_STATEMENTS` (`1`): `0` behind a pooler that gives each transaction another connection (pgbouncer)
    if env.bool("PREPARED_STATEMENTS", default=True):
        DATABASES["default"]["OPTIONS"].setdefault("prepare_threshold", 3)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- background jobs
#: `CELERY_BROKER_URL` (SQLite in `HLV_STATE`): for example `redis://127.0.0.1:6379/0`
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default=f"sqla+sqlite:///{STATE_DIR / 'broker.sqlite3'}")
# The application that sends tasks; imported with the task, because most commands send none, and Celery takes long.
HLV_CELERY_APP = "hlvstudy.celery"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
if CELERY_BROKER_URL.startswith("redis"):
    # The default sweep (10 s x 10, after an hour) hides a redelivery; see docs/deploy.md.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": 6 * 3600,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
    }
#: `HLV_WORKER_QUEUES` (`celery`): the queues from which a worker takes jobs, separated by commas, unless it is started
#: with `-Q`: `celery,training` where it also trains models, or `training` alone, which needs
#: `pip install 'hlvstudy[training]'`
HLV_WORKER_QUEUES = env.list("HLV_WORKER_QUEUES", default=["celery"])
CELERY_TASK_QUEUES = {name: {"exchange": name, "routing_key": name} for name in HLV_WORKER_QUEUES}
#: `JOB_LEASE_SECONDS` (30): how long a silent worker keeps its job
JOB_LEASE_SECONDS = env.int("JOB_LEASE_SECONDS", default=30)
#: `JOB_SWEEP_SECONDS` (5): how often workers look for jobs that others left
JOB_SWEEP_SECONDS = env.int("JOB_SWEEP_SECONDS", default=5)
JOB_MAX_ATTEMPTS = 3
JOB_STAY_SECONDS = 10  # how long a worker that was called once goes on before it answers other calls
#: `HLV_JOBS_PER_PERSON` (20): how many imports, exports, reports, bundles and analyses one person can have waiting and
#: running at a time, and how many trainings
HLV_JOBS_PER_PERSON = env.int("HLV_JOBS_PER_PERSON", default=20)
#: `HLV_ENCODERS` (none): the folder whose subfolders are encoders, in Hugging Face's format, that researchers can
#: choose for a training; without it they have the small one that is made on the spot
HLV_ENCODERS = env.str("HLV_ENCODERS", default="")
#: `HLV_ENCODER_HUB` (`0`): whether a training may download an encoder by its name from the Hugging Face hub
HLV_ENCODER_HUB = env.bool("HLV_ENCODER_HUB", default=False)
#: `HLV_RUN_SECONDS` (14400): how long an analysis may take
HLV_RUN_SECONDS = env.int("HLV_RUN_SECONDS", default=4 * 3600)

# -- people
AUTH_USER_MODEL = "annotations.User"
AUTHENTICATION_BACKENDS = [
    "annotations.api.people.guarding.PasswordBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
#: `INVITATION_DAYS` (14): how many days an invitation's link works, unless the admin says otherwise
INVITATION_DAYS = env.int("INVITATION_DAYS", default=14)
# -- how long what names people is kept (annotations/erasing/retention.py)
#: `HLV_FILES_KEPT_DAYS` (7): how many days finished exports, reports and bundles are kept as files
HLV_FILES_KEPT_DAYS = env.int("HLV_FILES_KEPT_DAYS", default=7)
#: `HLV_IDENTITIES_KEPT_MONTHS` (0): how many months after closing a study its experts' names and addresses are erased,
#: unless the study says otherwise; 0: only when an admin does it
HLV_IDENTITIES_KEPT_MONTHS = env.int("HLV_IDENTITIES_KEPT_MONTHS", default=0)
# Failed attempts within the window: of unknown devices on one account (and of one known device), from one network,
# and over all (annotations/people/access/limits.py).
ATTEMPTS_PER_ACCOUNT = 10
ATTEMPTS_PER_NETWORK = 50
ATTEMPTS_OVER_ALL = 500
ATTEMPT_WINDOW_MINUTES = 15

# -- API tokens (annotations/models/people.py): the library's hashing with a table of our own
KNOX_TOKEN_MODEL = "annotations.ApiToken"  # noqa: S105 - a model's name, not a secret
MIGRATION_MODULES: dict[str, str | None] = {"knox": None}
REST_KNOX = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_PREFIX": "hlv_", "TOKEN_TTL": None}

# -- cookies, headers: strict, relaxed only for plain http on this very machine
_https = _public.scheme == "https"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "hlvstudy.pages.csrf_failure"
SESSION_ENGINE = "annotations.people.sign_in.sessions"
#: `SESSION_DAYS` (14): how many days people stay signed in
SESSION_DAYS = env.int("SESSION_DAYS", default=14)
#: `ADMIN_SESSION_HOURS` (12): how many hours admins of the server stay signed in
ADMIN_SESSION_HOURS = env.int("ADMIN_SESSION_HOURS", default=12)
#: `REQUIRE_SECOND_FACTOR` (`none`): who has to turn on a second factor before anything else works: `admins` of the
#: server, or `researchers` (also admins of studies, and whoever may import or create studies). Experts never have to.
#: Lost devices, or a new `SECRET_KEY`, which makes all of them unreadable: `hlvstudy manage reset_second_factor EMAIL`
REQUIRE_SECOND_FACTOR = one_of(
    "REQUIRE_SECOND_FACTOR", env.str("REQUIRE_SECOND_FACTOR", default="none"), {"none", "admins", "researchers"}
)
#: `OIDC_ISSUER` (none: off): the address of a sign-in provider (OpenID Connect), exactly as it names itself; people
#: sign in there once they have typed their password here once. Register `PUBLIC_URL` with `/login/provider` there
OIDC_ISSUER = env.str("OIDC_ISSUER", default="")
#: `OIDC_CLIENT_ID` (none): what the provider calls this server
OIDC_CLIENT_ID = env.str("OIDC_CLIENT_ID", default="")
#: `OIDC_CLIENT_SECRET` (none): the secret that it gave this server
OIDC_CLIENT_SECRET = env.str("OIDC_CLIENT_SECRET", default="")
#: `OIDC_NAME` (the host of `OIDC_ISSUER`): what the button on the sign-in page calls it
OIDC_NAME = env.str("OIDC_NAME", default="") or urlsplit(OIDC_ISSUER).hostname or ""
#: `OIDC_IS_SECOND_FACTOR` (`0`): `1` if the provider asks everybody for a second factor, so that none is asked for here
OIDC_IS_SECOND_FACTOR = env.bool("OIDC_IS_SECOND_FACTOR", default=False)
refuse_unsafe_provider(issuer=OIDC_ISSUER, client=OIDC_CLIENT_ID, secret=OIDC_CLIENT_SECRET)
SESSION_COOKIE_AGE = SESSION_DAYS * 24 * 3600
SECURE_SSL_REDIRECT = _https
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$"]
#: `BEHIND_PROXY` (`0`): `1` if a proxy terminates HTTPS and sets `X-Forwarded-Proto` itself
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)
#: `TRUSTED_PROXIES` (with `BEHIND_PROXY=1`: this machine): addresses or networks of your proxies, separated by commas
#: (`unix`: through a socket). `X-Forwarded-For` is believed as far as they wrote it, and whoever else sends
#: `X-Forwarded-` headers is not believed
TRUSTED_PROXIES = trusted_proxies(env.list("TRUSTED_PROXIES", default=[]), behind_proxy=BEHIND_PROXY)
ONLY_TRUSTED_PROXIES = bool(env.list("TRUSTED_PROXIES", default=[]))
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY or ONLY_TRUSTED_PROXIES else None
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = _https
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# -- pages
STATIC_URL = "/static/"
#: `STATIC_ROOT` (`static`): where `collectstatic` puts the pages
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(places.STATIC or STATE_DIR / "static")))
STATICFILES_DIRS = [places.PAGES] if places.PAGES.is_dir() else []
#: `STORAGE_URL` (a folder in `HLV_STATE`): where uploads, exports and documents are kept, if workers run on several
#: machines: a shared folder, `file:///mnt/shared/hlvstudy`, or an S3-compatible server,
#: `s3://KEY:SECRET@storage.example.org/bucket/prefix?region=eu-central-1`, which needs `pip install 'hlvstudy[s3]'`
STORAGES = {
    "default": storage_of(env.str("STORAGE_URL", default=""), folder=STATE_DIR / "uploads"),
    # Compressing takes longer than all other steps of a demo, whose pages travel within one machine.
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if HLV_DEMO
        else "whitenoise.storage.CompressedStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG


def WHITENOISE_IMMUTABLE_FILE_TEST(path: str, url: str) -> bool:
    """Vite puts a content hash into the names of the files under assets/: those may be cached forever."""
    return re.match(r"^/static/assets/.+-[A-Za-z0-9_-]{8}\.", url) is not None


# -- uploads are bounded
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
#: `HLV_MAX_UPLOAD_BYTES` (536870912): the largest upload
HLV_MAX_UPLOAD_BYTES = env.int("HLV_MAX_UPLOAD_BYTES", default=512 * 1024 * 1024)
DATA_UPLOAD_MAX_NUMBER_FILES = 200
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

# -- mail
#: `EMAIL_URL` (none: the app sends no mail): the mail server for invitations and reminders, for example
#: `smtp+tls://user:password@mail.example.org:587` (`smtp+ssl://` for port 465); special characters in a password are
#: percent-encoded, `@` as `%40`. Workers send the mails
EMAIL_CONFIG = env.email("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
EMAIL_TIMEOUT = 20  # seconds: a silent mail server must not block a worker forever
#: `DEFAULT_FROM_EMAIL` (`hlv-study@localhost`): the sender of mails: an address that the mail server may send from,
#: for example `HLV Study <study@example.org>`
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="hlv-study@localhost")

# -- who is told, beside mail, when a study has all its answers or a run failed (annotations/people/notifications.py)
#: `NOTIFY_WEBHOOK_URL`: an address (`https://` or `http://`) that is told when a study has all its answers or a run
#: failed: see [Being told](../deploy.md#being-told)
NOTIFY_WEBHOOK_URL = env.str("NOTIFY_WEBHOOK_URL", default="")
#: `NOTIFY_WEBHOOK_SECRET` (none: not signed): signs what is sent to the webhook, so that it can tell our messages
#: from others
NOTIFY_WEBHOOK_SECRET = env.str("NOTIFY_WEBHOOK_SECRET", default="")
NOTIFY_WEBHOOK_SECONDS = 10

# -- the API
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotations.api.people.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotations.api.parsing.JsonParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "annotations.api.parsing.OneType",
    "DEFAULT_SCHEMA_CLASS": "annotations.api.schema.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "annotations.api.paging.Pages",
    "PAGE_SIZE": 50,
    "EXCEPTION_HANDLER": "annotations.api.errors.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "HLV Study",
    "DESCRIPTION": "Studies that ask experts which label distribution is more accurate.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "PREPROCESSING_HOOKS": ["annotations.api.schema.current_version_only"],
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "metaeval.api.serializers.with_results",
    ],
    "ENUM_NAME_OVERRIDES": {
        "RoleEnum": "annotations.models.Role",
        "StudyStateEnum": "annotations.models.StudyState",
        "ExportScopeEnum": "annotations.api.exports.SCOPES",
        "JobStateEnum": "annotations.models.JobState",
        "SubjectKindEnum": "metaeval.jobs.models.Subjects",
        "TrainingStateEnum": "metaeval.training_jobs.models.TrainingState",
        "ImportKindEnum": "annotations.models.ImportJob.Kind",
        "DocumentKindEnum": "metaeval.documents.models.DocumentKind",
    },
}

# -- words and time
LANGUAGE_CODE = "en"
# For the pages and the server alike; one source of translations for both (docs/pages.md).
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("ar", "العربية")]
LOCALE_PATHS = [places.LOCALE]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# -- figures for Prometheus (hlvstudy/monitoring.py)
#: `METRICS_TOKEN` (none: `/metrics` is off): who sends it as `Authorization: Bearer ...` may read the figures at
#: `/metrics`; at least 16 characters
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
#: `METRICS_NETWORKS` (none): networks, separated by commas, that may read them without a token, but not by way of a
#: proxy; for example `127.0.0.1/32`
METRICS_NETWORKS = env.list("METRICS_NETWORKS", default=[])
refuse_insecure_metrics(token=METRICS_TOKEN, networks=METRICS_NETWORKS)

# -- logs: to standard error, and never a text, an answer or a secret (requests are logged by path only)
#: `LOG_LEVEL` (`INFO`): logs go to standard error and never contain texts or answers
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
#: `LOG_FORMAT` (`plain`): `json` for one JSON object for each line
LOG_FORMAT = env.str("LOG_FORMAT", default="plain")
#: `LOG_CLIENT_ADDRESSES` (`clear`): `hashed` if the security log may not hold the addresses that requests come from
LOG_CLIENT_ADDRESSES = env.str("LOG_CLIENT_ADDRESSES", default="clear")
LOGGING = logging_of(level=LOG_LEVEL, form=LOG_FORMAT)
