"""HLV Study: the Django project (settings, URLs, Celery app, health) and the program that runs it. No domain code.

Importing it needs nothing: `make` does so before any package is installed.
"""

__version__ = "0.1.0"
"""The one version number: the wheel, `hlvstudy --version` and the system's page take it from here."""
