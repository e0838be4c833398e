"""Print how many values the lists in a Parquet file hold. A program of its own, because pyarrow 26 ends its process,
not only its call, where the description of a column is damaged.
"""

import sys

if __name__ == "__main__":
    # pyarrow can do without NumPy, and then starts five times as fast. None keeps a module from being imported.
    sys.modules["numpy"] = None  # type: ignore[assignment]  # the stubs know only modules
    from pyarrow.parquet import read_metadata

    metadata = read_metadata(sys.argv[1])
    lists = [place for place in range(metadata.num_columns) if metadata.schema.column(place).max_repetition_level]
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    values = sum(group.column(place).num_values for group in groups for place in lists)
    sys.stdout.write(str(values))
