#!/bin/sh
# Settings may be files, so that no password stands in the environment of `docker inspect`:
# SECRET_KEY_FILE=/run/secrets/secret_key sets SECRET_KEY to what is in that file.
set -eu
umask 027
for name in SECRET_KEY DATABASE_URL CELERY_BROKER_URL EMAIL_URL STORAGE_URL NOTIFY_WEBHOOK_SECRET; do
    eval "file=\${${name}_FILE:-}"
    if [ -n "$file" ]; then
        value=$(cat "$file")
        if [ -n "$value" ]; then export "$name=$value"; fi
        unset "${name}_FILE"
    fi
done
mkdir -p "${TMPDIR:-/tmp}"
exec hlvstudy "$@"
