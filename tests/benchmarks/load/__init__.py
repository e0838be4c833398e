"""How many complete answers a server takes: this one, a bare view that inserts the same rows, and other tools.

`python -m tests.benchmarks.load --help`. Every server gets a fresh database, a fresh folder and a free port on
127.0.0.1, one after the other, in one run; whatever was started is ended and dropped at the end. Users wait for a
response before they send the next request, and do not think.
"""
