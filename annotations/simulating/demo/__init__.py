"""The project's own demo: invented legal problems, invented lawyers, simulated systems.

Everything here is made up for HLV Study and marked as simulated wherever it appears.

- `texts`: the problems as people would write them to a legal help line, with the share of lawyers
  who would see each area of law in them;
- `judgements`: disaggregated human annotations drawn from those shares, and systems that differ in how they err.

Both are pure NumPy, seeded, and give the same result on every machine.
"""
