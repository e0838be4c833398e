"""The faults, one in each module."""
