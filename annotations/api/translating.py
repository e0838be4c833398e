"""What is declared in English, said in the reader's language: titles, descriptions and forms.

Only answers of the API are translated. What is stored or written to a file says it as declared.
"""

from typing import Any

from django.utils import translation
from rest_framework import serializers

TEXTS = ("title", "description", "x-label")
LISTS = ("x-titles",)


def said(declared: str) -> str:
    """A declared text in the reader's language, or as it is where no catalogue has it."""
    return translation.gettext(declared) if declared else ""


class InTheirLanguage(serializers.CharField):
    """What the code says of itself, and declares or marks for translation."""

    def to_representation(self, value: str) -> str:
        return said(value)


def said_schema(schema: Any) -> Any:
    """A JSON Schema whose words are translated. Values stay: they are for programs."""
    if isinstance(schema, list):
        return [said_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _said(name, value) for name, value in schema.items()}


def _said(name: str, value: Any) -> Any:
    if name in TEXTS and isinstance(value, str):
        return said(value)
    if name in LISTS and isinstance(value, list):
        return [said(str(item)) for item in value]
    # A property may have the name of a word: what stands behind it is then a schema.
    return said_schema(value) if isinstance(value, dict | list) else value
