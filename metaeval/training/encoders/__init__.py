"""What reads the texts: one file for each kind of encoder. The registry finds them (registry.py)."""
