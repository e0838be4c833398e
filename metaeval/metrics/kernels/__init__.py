"""The compiled loops of the metrics, in a folder of their own: the registry imports every file beside it, and importing
Numba takes longer than most metrics do, so `loops` is only imported when a value is computed."""
