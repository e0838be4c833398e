"""How large an import may be. Sizes declared in a file are checked against these before it is loaded."""

MAX_TABLE_BYTES = 4 << 30  # a table's values, unpacked
MAX_MATRIX_BYTES = 2 << 30  # one matrix
MAX_DOCUMENT_BYTES = 128 << 20  # one JSON document, which is read completely into eight times as much memory
MAX_LABELS = 10_000
MAX_COLUMNS = 11_000  # of a table: one for every label, and room for texts and the others
NAME_LENGTH = 200  # external ids, labels, annotator codes
SYSTEM_PART_LENGTH = 100  # model, method, run
SPLIT_LENGTH = 20  # train, dev, test
