"""Tables in any file format: open them (`sheets`), then interpret their columns."""
