"""The places of comparisons: made, given out, moved, shared and kept apart from the pilot's."""
