"""The project's own demo: invented legal problems, invented lawyers, simulated systems.

Everything here is made up for HLV Study and marked as simulated wherever it appears.

- `texts`: the problems as people would write them to a legal help line, with the share of lawyers
  who would see each area of law in them;
- `lawyers`: disaggregated human annotations drawn from those shares;
- `systems`: judgement distributions that differ in quality and in the way they err.

All three are pure NumPy, seeded, and give the same result on every machine.
"""
