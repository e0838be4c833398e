"""Where uploads, exports and documents are kept: a folder, or an S3-compatible server for several machines."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

EXAMPLES = "file:///mnt/shared/hlvstudy or s3://KEY:SECRET@storage.example.org/bucket"
MEMORY = 4 * 1024 * 1024
"""How much of a file is held in memory; a larger one is downloaded into a temporary file."""


def storage_of(url: str, *, folder: Path) -> dict[str, Any]:
    """Django's description of the storage at an address.

    Args:
        url: `file:///folder`, or `s3://KEY:SECRET@host/bucket/prefix` with `?region=` and, for a server without HTTPS
            on a private network, `tls=0`; empty: in `folder`.
        folder: the folder if no address is given.

    Raises:
        ImproperlyConfigured: it is not such an address, or the package for it is not installed.

    >>> storage_of("file:///mnt/shared", folder=Path("/state/uploads"))["OPTIONS"]
    {'location': '/mnt/shared'}
    """
    parts = urlsplit(url)
    if not url or (parts.scheme == "file" and parts.path.startswith("/") and not parts.netloc):
        location = unquote(parts.path) if url else str(folder)
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": location}}
    bucket, _, prefix = unquote(parts.path).strip("/").partition("/")
    if parts.scheme != "s3" or not (parts.hostname and parts.username and parts.password and bucket):
        raise ImproperlyConfigured(f"STORAGE_URL is not the address of a storage. Write it like {EXAMPLES}.")
    try:
        from botocore.config import Config
    except ImportError:
        raise ImproperlyConfigured(
            "STORAGE_URL names an S3 server, and the package for it is missing. Run: pip install 'hlvstudy[s3]'"
        ) from None
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    scheme = "http" if options.get("tls") == "0" else "https"
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "access_key": unquote(parts.username),
            "secret_key": unquote(parts.password),
            "bucket_name": bucket,
            "location": prefix,
            "endpoint_url": f"{scheme}://{parts.netloc.rpartition('@')[2]}",
            "region_name": options.get("region", "us-east-1"),
            "max_memory_size": MEMORY,
            "client_config": Config(
                signature_version="s3v4",
                s3={"addressing_style": "path"},  # not every server answers to a host name for each bucket
                connect_timeout=5,
                read_timeout=30,
                retries={"max_attempts": 3, "mode": "standard"},
                request_checksum_calculation="when_required",  # newer checksums are not known to every server
                response_checksum_validation="when_required",
            ),
        },
    }
