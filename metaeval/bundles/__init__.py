"""A study as one file that anyone can check: data, plan, parameters, results, versions and checksums.

A bundle is a zip archive that is a Frictionless data package. `writing` makes one from a study's inputs and results;
`verifying` reads one on any machine, rebuilds the inputs from the archive alone, and recomputes every result. Nothing
here reads the database, nothing is unpacked to disk, and nothing is unpickled: all files are CSV or JSON.
"""
