"""What everything stands on, the numeric library too: arrays, errors, registries, units. No Django."""
