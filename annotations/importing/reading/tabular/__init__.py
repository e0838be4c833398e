"""Tables of any file format: open them (`sheets`), then understand their columns."""
