"""`docs/importing.md` says what there is."""

from annotations.importing.formats import dataset_readers, prediction_readers
from annotations.importing.tabular.columns import KNOWN
from tests.conftest import ROOT

DOCUMENT = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")


def test_every_format_option_and_column_is_documented():
    for reader in [*dataset_readers, *prediction_readers]:
        assert f"## `{reader.name}`" in DOCUMENT
        for option in reader.options.model_fields:
            assert f"`{option}`" in DOCUMENT
    for column in KNOWN:
        assert f"`{column}`" in DOCUMENT
